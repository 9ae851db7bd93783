-- Views between a topic and the query that reads it: their columns are the source's, keys too.
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z]+_\d+ => ${query}
CREATE STREAM orders (id INT KEY, item STRING, qty INT) WITH (KAFKA_TOPIC = '${prefix}orders', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO orders VALUES (1, 'a', 1), (2, 'b', 2), (3, 'a', 5);
CREATE VIEW large AS SELECT id, item, qty FROM orders WHERE qty > 1;
CREATE VIEW renamed (n, what) AS SELECT id, item FROM large;
CREATE VIEW narrow AS SELECT item FROM orders;
CREATE VIEW cast_key AS SELECT CAST(id AS STRING) AS id, item FROM orders;
CREATE VIEW grouped AS SELECT item, count(*) AS n FROM orders GROUP BY item;
CREATE STREAM a WITH (KAFKA_TOPIC = '${prefix}a') AS SELECT * FROM large EMIT CHANGES;
DESCRIBE a;
SELECT * FROM a;
CREATE STREAM b WITH (KAFKA_TOPIC = '${prefix}b') AS SELECT * FROM renamed EMIT CHANGES;
DESCRIBE b;
CREATE STREAM c WITH (KAFKA_TOPIC = '${prefix}c') AS SELECT * FROM narrow EMIT CHANGES;
DESCRIBE c;
CREATE STREAM d WITH (KAFKA_TOPIC = '${prefix}d') AS SELECT * FROM cast_key EMIT CHANGES;
DESCRIBE d;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}e') AS SELECT * FROM large PARTITION BY item EMIT CHANGES;
DESCRIBE e;
CREATE TABLE f WITH (KAFKA_TOPIC = '${prefix}f') AS SELECT * FROM grouped EMIT CHANGES;
DESCRIBE f;
SELECT * FROM f ORDER BY item;
CREATE TABLE h WITH (KAFKA_TOPIC = '${prefix}h') AS SELECT item, n + 1 AS m FROM (SELECT item, count(*) AS n FROM orders GROUP BY item) x EMIT CHANGES;
SELECT * FROM h ORDER BY item;
CREATE TABLE g WITH (KAFKA_TOPIC = '${prefix}g') AS SELECT item, sum(qty) AS q FROM large GROUP BY item EMIT CHANGES;
SELECT * FROM g ORDER BY item;
DROP VIEW grouped;
DROP VIEW cast_key;
DROP VIEW narrow;
DROP VIEW renamed;
DROP VIEW large;
