-- Rows whose join key is null meet nothing: outer joins keep them.
-- conf: spark.kafkalyst.identifiers=upper
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
CREATE STREAM a (id INT KEY, x INT, va STRING) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM b (id INT KEY, x INT, vb STRING) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE t (x INT PRIMARY KEY, vt STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE u (id INT PRIMARY KEY, x INT) WITH (KAFKA_TOPIC = '${prefix}u', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t (ROWTIME, x, vt) VALUES (10, 1, 't1');
INSERT INTO u (ROWTIME, id, x) VALUES (20, 5, 1), (30, 6, NULL);
INSERT INTO a (ROWTIME, id, x, va) VALUES (100, 1, 1, 'a1'), (200, 2, NULL, 'a2'), (300, NULL, 3, 'a3');
INSERT INTO b (ROWTIME, id, x, vb) VALUES (110, 1, 1, 'b1'), (210, 2, NULL, 'b2'), (310, NULL, 4, 'b3');
CREATE STREAM lookup AS SELECT a.x AS x, id, va, vt FROM a LEFT JOIN t ON a.x = t.x;
SELECT * FROM lookup;
CREATE STREAM inner_lookup AS SELECT a.x AS x, id, va, vt FROM a JOIN t ON a.x = t.x;
SELECT * FROM inner_lookup;
CREATE STREAM lefts AS SELECT a.x AS x, va, vb FROM a LEFT JOIN b WITHIN 1 SECOND ON a.x = b.x;
SELECT * FROM lefts;
CREATE STREAM rights AS SELECT b.id AS id, va, vb FROM a RIGHT JOIN b WITHIN 1 SECOND GRACE PERIOD 1 MINUTE ON a.id = b.id;
SELECT * FROM rights;
CREATE STREAM fulls AS SELECT ROWKEY AS k, va, vb FROM a FULL JOIN b WITHIN 1 SECOND ON a.id = b.id;
SELECT * FROM fulls;
CREATE STREAM inners AS SELECT a.id AS id, va, vb FROM a JOIN b WITHIN 1 SECOND ON a.id = b.id;
SELECT * FROM inners;
CREATE TABLE pointed AS SELECT u.id AS id, u.x AS x, vt FROM u LEFT JOIN t ON u.x = t.x;
SELECT * FROM pointed;
