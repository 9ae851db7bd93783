-- The headers of a join's rows: those of the record that made the row, the last one.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
CREATE STREAM a (id INT KEY, va STRING) WITH (KAFKA_TOPIC = '${prefix}a', FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM b (id INT KEY, vb STRING) WITH (KAFKA_TOPIC = '${prefix}b', FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE t (id INT PRIMARY KEY, vt STRING, fk INT) WITH (KAFKA_TOPIC = '${prefix}t', FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE u (id INT PRIMARY KEY, vu STRING) WITH (KAFKA_TOPIC = '${prefix}u', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t (_headers, ROWTIME, id, vt, fk) VALUES (array(named_struct('KEY', 't', 'VALUE', X'01')), 10, 1, 't1', 5);
INSERT INTO u (_headers, ROWTIME, id, vu) VALUES (array(named_struct('KEY', 'u', 'VALUE', X'02')), 20, 1, 'u1');
INSERT INTO u (_headers, ROWTIME, id, vu) VALUES (array(named_struct('KEY', 'u', 'VALUE', X'05')), 30, 5, 'u5');
INSERT INTO a (_headers, ROWTIME, id, va) VALUES (array(named_struct('KEY', 'a', 'VALUE', X'03')), 100, 1, 'a1');
INSERT INTO b (_headers, ROWTIME, id, vb) VALUES (array(named_struct('KEY', 'b', 'VALUE', X'04'), named_struct('KEY', 'b', 'VALUE', NULL)), 110, 1, 'b1');
CREATE STREAM streams AS SELECT a.id, va, vb FROM a LEFT JOIN b WITHIN 1 SECOND ON a.id = b.id;
SELECT ROWTIME, _headers, vb FROM streams;
CREATE STREAM found AS SELECT a.id, va, vt FROM a JOIN t ON a.id = t.id;
SELECT ROWTIME, _headers FROM found;
CREATE TABLE tables AS SELECT t.id, vt, vu FROM t JOIN u ON t.id = u.id;
SELECT ROWTIME, _headers FROM tables;
CREATE TABLE foreigns AS SELECT t.id, vt, vu FROM t JOIN u ON t.fk = u.id;
SELECT ROWTIME, _headers FROM foreigns;
CREATE STREAM several AS SELECT a.id, va, vb, vt FROM a JOIN b WITHIN 1 SECOND ON a.id = b.id JOIN t ON a.id = t.id;
SELECT ROWTIME, _headers FROM several;
