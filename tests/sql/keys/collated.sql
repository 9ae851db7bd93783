-- A table's keys are bytes: a collation that takes different texts for equal would mix up its rows.
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z]+_\d+ => ${query}
-- topic: ${prefix}f partitions=1
CREATE TABLE t (k STRING COLLATE UTF8_LCASE PRIMARY KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}t', FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE t (k STRUCT<a: ARRAY<STRING COLLATE UNICODE_CI>> PRIMARY KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}t', FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE t (k STRING COLLATE UTF8_LCASE, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}f', 'key.format' = 'json', 'value.format' = 'json');
SHOW TABLES;
-- Other columns, and keys of streams, may have one.
CREATE TABLE t (k STRING PRIMARY KEY, v STRING COLLATE UTF8_LCASE) WITH (KAFKA_TOPIC = '${prefix}t', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t VALUES ('a', 'x'), ('A', 'X');
SELECT * FROM t ORDER BY k;
SELECT k FROM t WHERE k COLLATE UTF8_LCASE = 'a' AND v = 'x' ORDER BY k;
CREATE STREAM s (k STRING COLLATE UTF8_LCASE KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}s', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES ('a', 1), ('A', 2);
SELECT * FROM s WHERE k = 'a';
-- A query's key, and a key that a change declares.
CREATE TABLE counts WITH (FORMAT = 'JSON', KAFKA_TOPIC = '${prefix}counts') AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;
CREATE TABLE counts WITH (FORMAT = 'JSON', KAFKA_TOPIC = '${prefix}counts') AS SELECT k COLLATE UTF8_BINARY AS k, COUNT(*) AS n FROM s GROUP BY k COLLATE UTF8_BINARY;
SELECT * FROM counts ORDER BY k;
ALTER TABLE t MODIFY k STRING COLLATE UTF8_LCASE;
SELECT * FROM t WITH ('key.fields' = 'v');
