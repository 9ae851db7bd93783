-- Joins over several runs: late rows of two streams, and rows of tables that a foreign key no longer joins.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM l (k STRING KEY, a STRING) WITH (KAFKA_TOPIC = '${prefix}l', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM r (k STRING KEY, b STRING) WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
-- l2 is late, and still meets the right rows of its time; r4 meets no left row, as newer ones have replaced them.
INSERT INTO l (ROWTIME, k, a) VALUES (1, 'x', 'l0'), (100000, 'x', 'l1'), (5000, 'x', 'l2');
INSERT INTO r (ROWTIME, k, b) VALUES (1, 'x', 'r0'), (4000, 'x', 'r2');
CREATE STREAM j AS SELECT ROWKEY AS k, a, b FROM l FULL OUTER JOIN r WITHIN 10 SECONDS GRACE PERIOD 2 SECONDS ON l.k = r.k;
INSERT INTO r (ROWTIME, k, b) VALUES (101000, 'x', 'r3'), (3000, 'x', 'r4');
CREATE OR REPLACE STREAM j AS SELECT ROWKEY AS k, a, b FROM l FULL OUTER JOIN r WITHIN 10 SECONDS GRACE PERIOD 2 SECONDS ON l.k = r.k;
SELECT *, ROWTIME FROM j;
TERMINATE ALL;
CREATE TABLE orders (id INT PRIMARY KEY, c STRING, q INT) WITH (KAFKA_TOPIC = '${prefix}orders', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE customers (c STRING PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC = '${prefix}customers', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO orders (ROWTIME, id, c, q) VALUES (100, 1, 'x', 1), (110, 2, 'x', 2), (120, 3, 'x', 3), (130, 4, 'y', 4);
INSERT INTO customers (ROWTIME, c, name) VALUES (200, 'x', 'Ann'), (210, 'y', 'Bob');
CREATE TABLE f WITH (KAFKA_TOPIC = '${prefix}f') AS SELECT o.id AS id, q, name FROM orders o JOIN customers c ON o.c = c.c;
CREATE STREAM fs (id INT KEY, q INT, name STRING) WITH (KAFKA_TOPIC = '${prefix}f', VALUE_FORMAT = 'JSON');
-- A delete's time is the later one of both sides, too, if there is a right row.
INSERT INTO orders (ROWTIME, id, _tombstone) VALUES (150, 1, true);
INSERT INTO orders (ROWTIME, id, c, q) VALUES (160, 2, NULL, 2), (170, 3, 'z', 3);
INSERT INTO customers (ROWTIME, c, _tombstone) VALUES (100, 'y', true);
CREATE OR REPLACE TABLE f WITH (KAFKA_TOPIC = '${prefix}f') AS SELECT o.id AS id, q, name FROM orders o JOIN customers c ON o.c = c.c;
SELECT id, q, name, ROWTIME FROM fs;
