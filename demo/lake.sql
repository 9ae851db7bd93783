-- Topics and a lake's tables, in SQL alone. Run by demo/lake.py.

CREATE DATABASE lake.shop;

-- A table's topic has its changes; the lake's table has the latest row of each key.
CREATE TABLE customers (name STRING PRIMARY KEY, tier STRING, points INT)
WITH (KAFKA_TOPIC = 'shop.customers', VALUE_FORMAT = 'JSON', PARTITIONS = 2);

CREATE TABLE lake.shop.customers USING iceberg TBLPROPERTIES ('kafkalyst.trigger' = '1 SECOND')
AS SELECT * FROM customers EMIT CHANGES;

INSERT INTO customers VALUES ('Ada', 'BASIC', 1), ('Björn', 'GOLD', 12), ('Chloé', 'BASIC', 3);

INSERT INTO customers VALUES ('Ada', 'GOLD', 11);

DELETE FROM customers WHERE name = 'Chloé';

-- What a topic forgets, its history keeps: a table that a query fills.
CREATE STREAM payments (id INT KEY, amount DECIMAL(10, 2))
WITH (KAFKA_TOPIC = 'shop.payments', VALUE_FORMAT = 'JSON', PARTITIONS = 2, HISTORY = 'lake.shop.payments');

CREATE TABLE lake.shop.payments USING iceberg TBLPROPERTIES ('kafkalyst.trigger' = '1 SECOND')
AS SELECT *, ROWPARTITION, ROWOFFSET FROM payments EMIT CHANGES;

INSERT INTO payments SELECT CAST(id AS INT), CAST(id / 100 AS DECIMAL(10, 2)) FROM range(10000);
