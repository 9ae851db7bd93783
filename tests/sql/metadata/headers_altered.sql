-- In ksqlDB's dialect columns that are added come before the headers, also those that were added elsewhere.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM h (k INT KEY, v STRING, ha BYTES HEADER('a'), hs ARRAY<STRUCT<key STRING, value BYTES>> HEADERS) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
ALTER STREAM h ADD COLUMN n INT;
ALTER STREAM h ADD COLUMN m INT, p INT;
DESCRIBE h;
INSERT INTO h (k, v, n, m, p) VALUES (1, 'one', 2, 3, 4);
SELECT * FROM h;
CREATE STREAM whole AS SELECT * FROM h;
DESCRIBE whole;
SELECT * FROM whole;
SET spark.kafkalyst.dialect = spark;
ALTER STREAM h ADD COLUMN "Q" INT;
DESCRIBE h;
SET spark.kafkalyst.dialect = ksqldb;
DESCRIBE h;
SELECT * FROM h;
ALTER STREAM h ADD COLUMN r INT;
INSERT INTO h (k, q, r) VALUES (2, 5, 6);
SELECT * FROM h;
