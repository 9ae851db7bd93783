-- Names of streams and tables: any character in quotes.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: schema id \| \d+ => schema id | n
-- replace: has the schema id \d+ => has the schema id n
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z0-9_]+_\d+ => ${query}
-- replace: INSERTQUERY_\d+ => ${query}
-- replace: #\d+L? => #
CREATE STREAM "my-stream" (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}in', VALUE_FORMAT = 'AVRO', KEY_FORMAT = 'AVRO', PARTITIONS = 1);
CREATE STREAM "my-stream" (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}in', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
CREATE STREAM IF NOT EXISTS `my-stream` (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}in', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
CREATE TABLE "My.Table 😀" (k STRING PRIMARY KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}table', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM "SELECT" (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}in', VALUE_FORMAT = 'AVRO', KEY_FORMAT = 'AVRO');
CREATE STREAM plain (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}in', VALUE_FORMAT = 'AVRO', KEY_FORMAT = 'AVRO');
INSERT INTO "my-stream" VALUES ('a', 1);
INSERT INTO `my-stream` (v, k) SELECT v + 1, 'b' FROM "my-stream";
INSERT INTO "My.Table 😀" VALUES ('a', 10);
SELECT * FROM "my-stream";
SELECT "my-stream".k, t.v FROM "my-stream" JOIN golden."My.Table 😀" t ON t.k = "my-stream".k;
SELECT * FROM "SELECT" WHERE v > 1;
-- The same but for case.
SELECT * FROM "MY-STREAM";
SELECT * FROM "my.stream";
-- As the one it was made from, it is a topic's name too.
CREATE STREAM "a-b.c" AS SELECT * FROM "my-stream";
SELECT * FROM "a-b.c";
CREATE STREAM "two words" AS SELECT * FROM "my-stream";
CREATE STREAM "two words" WITH (KAFKA_TOPIC = '${prefix}two') AS SELECT k, v * 2 AS v FROM "my-stream";
SELECT * FROM "two words";
CREATE OR REPLACE STREAM "two words" WITH (KAFKA_TOPIC = '${prefix}two') AS SELECT k, v * 3 AS v FROM "my-stream";
INSERT INTO "two words" SELECT * FROM "a-b.c" EMIT CHANGES;
SELECT * FROM "two words";
SHOW STREAMS;
LIST TABLES;
SHOW TABLES;
DESCRIBE "my-stream";
DESCRIBE EXTENDED "my-stream";
DESCRIBE "two words" EXTENDED;
SHOW CREATE STREAM "my-stream" AS ksqldb;
SHOW CREATE TABLE "My.Table 😀" AS flink;
ALTER STREAM "my-stream" ADD COLUMN w INT;
ALTER TABLE "my-stream" SET TBLPROPERTIES (on_error = 'SKIP');
SELECT * FROM "my-stream";
DELETE FROM "My.Table 😀" WHERE k = 'a';
SELECT * FROM "My.Table 😀";
EXPLAIN SELECT * FROM "my-stream" WHERE v > 1;
DROP TABLE "my-stream";
DROP STREAM "a-b.c";
DROP STREAM "my-stream";
DROP STREAM "my-streem";
DROP STREAM IF EXISTS "my-stream";
CREATE STREAM "my-stream" (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}in', VALUE_FORMAT = 'JSON');
DROP STREAM "my-stream" DELETE TOPIC;
SHOW STREAMS;
