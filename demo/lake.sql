-- Topics and a lake's tables, in SQL alone. Run by demo/lake.py.

CREATE DATABASE lake.shop;

-- A table's topic has its changes; the lake's table has the latest row of each key.
CREATE TABLE members (name STRING PRIMARY KEY, tier STRING, points INT)
WITH (KAFKA_TOPIC = 'shop.members', VALUE_FORMAT = 'JSON', PARTITIONS = 2);

CREATE TABLE lake.shop.members USING iceberg TBLPROPERTIES ('kafkalyst.trigger' = '1 SECOND')
AS SELECT * FROM members EMIT CHANGES;

INSERT INTO members VALUES ('Ada', 'BASIC', 1), ('Björn', 'GOLD', 12), ('Chloé', 'BASIC', 3);

INSERT INTO members VALUES ('Ada', 'GOLD', 11);

DELETE FROM members WHERE name = 'Chloé';

-- A history keeps the records that the topic's retention deletes: it is a table that a query fills.
CREATE STREAM payments (id INT KEY, amount DECIMAL(10, 2))
WITH (KAFKA_TOPIC = 'shop.payments', VALUE_FORMAT = 'JSON', PARTITIONS = 2, HISTORY = 'lake.shop.payments');

CREATE TABLE lake.shop.payments USING iceberg TBLPROPERTIES ('kafkalyst.trigger' = '1 SECOND')
AS SELECT *, ROWPARTITION, ROWOFFSET FROM payments EMIT CHANGES;

INSERT INTO payments SELECT CAST(id AS INT), CAST(id / 100 AS DECIMAL(10, 2)) FROM range(10000);
