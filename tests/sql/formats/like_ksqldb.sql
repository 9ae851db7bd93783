-- Records as ksqlDB reads and writes them.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.on.error=skip
-- replace: (C[ST]AS_[A-Z0-9_]+|INSERTQUERY)_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- topic: ${prefix}names partitions=1
-- topic: ${prefix}lines partitions=1
-- topic: ${prefix}times partitions=1
-- record: ${prefix}names {"FOO":1,"bar":2,"s":{"IN":3,"Out":4}}
-- record: ${prefix}names {"foo":1,"BAR":2,"S":{"in":3,"OUT":4}}
-- record: ${prefix}times {"ts":"2020-03","v":1}
-- record: ${prefix}times {"ts":"2020-13","v":2}
-- A field is a column's if its name, or its name in upper case, is the column's.
CREATE STREAM names (`foo` INT, bar INT, s STRUCT<`in` INT, out INT>) WITH (KAFKA_TOPIC = '${prefix}names', VALUE_FORMAT = 'JSON');
SELECT * FROM names;
CREATE STREAM avro_out (foo INT, bar INT) WITH (KAFKA_TOPIC = '${prefix}avro', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO avro_out (foo, bar) VALUES (1, 2);
CREATE STREAM avro_in (`foo` INT, bar INT) WITH (KAFKA_TOPIC = '${prefix}avro', VALUE_FORMAT = 'AVRO');
SELECT * FROM avro_in;
-- A value whose text is null is none: it deletes the table's row.
CREATE STREAM writes (k STRING KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}written', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'KAFKA', PARTITIONS = 1);
INSERT INTO writes (ROWTIME, k, v) VALUES (1, '1', '{"A":1}'), (2, '2', '{"A":2}'), (3, '1', ' null ');
CREATE TABLE written (k STRING PRIMARY KEY, a INT, b INT) WITH (KAFKA_TOPIC = '${prefix}written', VALUE_FORMAT = 'JSON');
SELECT * FROM written;
CREATE TABLE counted AS SELECT a, COUNT(*) AS n FROM written GROUP BY a EMIT CHANGES;
CREATE STREAM counts (a INT KEY, n BIGINT) WITH (KAFKA_TOPIC = '${prefix}COUNTED', VALUE_FORMAT = 'JSON');
SELECT a, n FROM counts;
-- Of several lines the first one is read.
CREATE STREAM texts (v STRING) WITH (KAFKA_TOPIC = '${prefix}lines', VALUE_FORMAT = 'KAFKA');
INSERT INTO texts (v) VALUES (CONCAT('2,b', CHR(10), '3,c'));
CREATE STREAM lines (n INT, t STRING) WITH (KAFKA_TOPIC = '${prefix}lines', VALUE_FORMAT = 'DELIMITED');
SELECT * FROM lines;
-- What a time's text leaves out is that of 1970-01-01.
CREATE STREAM times (ts STRING, v INT) WITH (KAFKA_TOPIC = '${prefix}times', VALUE_FORMAT = 'JSON', TIMESTAMP = 'ts', TIMESTAMP_FORMAT = 'yyyy-MM');
SELECT v, ROWTIME FROM times;
-- A query's row without a time is not written.
CREATE STREAM timed (id INT KEY, v STRING, ts BIGINT) WITH (KAFKA_TOPIC = '${prefix}timed', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO timed (ROWTIME, id, v, ts) VALUES (100, 1, 'a1', 11), (500, 2, 'a2', NULL);
CREATE STREAM plain WITH (TIMESTAMP = 'ts') AS SELECT id, v, ts FROM timed;
SELECT *, ROWTIME FROM plain;
-- A key format that no key needs yet.
CREATE STREAM keyless WITH (KEY_FORMAT = 'JSON') AS SELECT foo, bar FROM avro_out;
CREATE STREAM unkeyed WITH (KEY_FORMAT = 'JSON') AS SELECT id, v FROM timed PARTITION BY NULL;
SELECT * FROM keyless;
