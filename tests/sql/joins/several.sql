-- More than two sources, several columns, expressions, other key formats on the two sides.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- topic: ${prefix}a partitions=1
-- topic: ${prefix}b partitions=1
-- topic: ${prefix}c partitions=1
-- topic: ${prefix}t partitions=1
-- topic: ${prefix}u partitions=1
CREATE STREAM a (id INT KEY, x INT, va STRING) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'JSON');
CREATE STREAM b (id INT KEY, x INT, vb STRING) WITH (KAFKA_TOPIC = '${prefix}b', KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'JSON');
CREATE STREAM c (id INT KEY, vc STRING) WITH (KAFKA_TOPIC = '${prefix}c', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');
CREATE TABLE t (id INT PRIMARY KEY, vt STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
CREATE TABLE u (id INT PRIMARY KEY, x INT PRIMARY KEY, vu STRING) WITH (KAFKA_TOPIC = '${prefix}u', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');
INSERT INTO a (ROWTIME, id, x, va) VALUES (100, 1, 1, 'a1'), (200, 2, 1, 'a2'), (30000, 1, 2, 'a3'), (90000, 9, 9, 'a9');
INSERT INTO b (ROWTIME, id, x, vb) VALUES (150, 1, 1, 'b1'), (300, 3, 1, 'b3'), (31000, 1, 1, 'b4');
INSERT INTO c (ROWTIME, id, vc) VALUES (160, 1, 'c1'), (290, 3, 'c3'), (350, 2, 'c2');
INSERT INTO t (ROWTIME, id, vt) VALUES (120, 1, 't1'), (30500, 1, 't2');
INSERT INTO u (ROWTIME, id, x, vu) VALUES (90, 1, 1, 'u1'), (95, 1, 2, 'u2');
CREATE STREAM three AS SELECT a.id AS k, va, vb, vc FROM a JOIN b WITHIN 1 SECOND ON a.id = b.id JOIN c WITHIN 1 SECOND ON a.id = c.id;
SELECT *, ROWTIME FROM three;
CREATE STREAM three_full AS SELECT ROWKEY, va, vb, vc FROM a FULL JOIN b WITHIN 1 SECOND GRACE PERIOD 1 SECOND ON a.id = b.id FULL JOIN c WITHIN 1 SECOND GRACE PERIOD 1 SECOND ON b.id = c.id;
SELECT *, ROWTIME FROM three_full;
CREATE STREAM mixed AS SELECT a.id AS k, va, vb, vt FROM a JOIN b WITHIN 2 SECONDS ON a.id = b.id LEFT JOIN t ON a.id = t.id;
SELECT *, ROWTIME FROM mixed;
CREATE STREAM two_tables AS SELECT a.id AS k, va, vt, vu FROM a LEFT JOIN t ON a.id = t.id LEFT JOIN u ON a.id = u.id AND a.x = u.x;
DESCRIBE two_tables;
CREATE STREAM two_tables WITH (KEY_FORMAT = 'JSON') AS SELECT a.id AS k, a.x AS kx, va, vt, vu FROM a LEFT JOIN t ON a.id = t.id LEFT JOIN u ON a.id = u.id AND a.x = u.x;
SELECT *, ROWTIME FROM two_tables;
DESCRIBE two_tables;
CREATE STREAM two_columns WITH (KEY_FORMAT = 'JSON') AS SELECT a.id AS k1, b.x AS k2, va, vb FROM a JOIN b WITHIN 2 SECONDS ON a.id = b.id AND a.x = b.x;
SELECT *, ROWTIME FROM two_columns;
CREATE STREAM expressions AS SELECT ROWKEY, va, vb FROM a JOIN b WITHIN 2 SECONDS ON a.id + 1 = b.id + 1;
SELECT *, ROWTIME FROM expressions;
CREATE STREAM one_expression AS SELECT b.id, va, vb FROM a JOIN b WITHIN 2 SECONDS ON a.id + 1 = b.id;
SELECT * FROM one_expression;
DESCRIBE one_expression;
