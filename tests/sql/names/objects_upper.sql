-- ksqlDB's names of objects: unquoted ones fold, quoted ones are exact, so that two may differ in case only.
-- conf: spark.kafkalyst.identifiers=upper
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
-- replace: INSERTQUERY_\d+ => ${query}
CREATE STREAM foo (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}upper', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM "foo" (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}lower', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM "Foo" AS SELECT k, v * 100 AS v FROM "foo";
CREATE STREAM FOO (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}upper', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM "foo" (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}upper', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO foo VALUES ('upper', 1);
INSERT INTO "foo" VALUES ('lower', 2);
SELECT * FROM foo;
SELECT * FROM "foo";
CREATE STREAM both AS SELECT k, v FROM FOO;
INSERT INTO both SELECT k, v FROM "foo";
SELECT * FROM both;
CREATE TABLE "my-counts" AS SELECT k, COUNT(*) AS n FROM "foo" GROUP BY k;
CREATE TABLE "MY-COUNTS" AS SELECT k, SUM(v) AS n FROM "foo" GROUP BY k;
SELECT * FROM "my-counts";
SELECT * FROM "MY-COUNTS";
SHOW STREAMS;
LIST TABLES;
DESCRIBE "foo" EXTENDED;
DROP TABLE foo;
DROP STREAM foo;
TERMINATE ALL;
DROP STREAM foo;
SELECT * FROM "foo";
DROP STREAM IF EXISTS foo;
CREATE STREAM foo AS SELECT k, v + 1 AS v FROM "foo";
CREATE OR REPLACE STREAM foo AS SELECT k, v + 2 AS v FROM "foo";
SELECT * FROM foo;
SELECT * FROM "foo";
SHOW STREAMS;
