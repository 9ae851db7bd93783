-- Definitions and types that are kept in the cluster.
-- topic: ${prefix}d partitions=1
-- record: ${prefix}d key=1 {"v": "one"}
-- topic: ${prefix}fl partitions=1
-- topic: ${prefix}up partitions=1
DESCRIBE TABLE kafka.${prefix}d;
CREATE STREAM kafka.${prefix}d (k INT KEY, v STRING) WITH (VALUE_FORMAT = 'JSON', KEY_FORMAT = 'KAFKA');
CREATE STREAM kafka.${prefix}d (k INT KEY, v STRING) WITH (VALUE_FORMAT = 'JSON');
CREATE STREAM IF NOT EXISTS kafka.${prefix}d (k INT KEY, v STRING) WITH (VALUE_FORMAT = 'JSON');
SHOW CREATE TABLE kafka.${prefix}d AS KSQLDB;
SHOW TBLPROPERTIES kafka.${prefix}d;
ALTER TABLE kafka.${prefix}d SET TBLPROPERTIES ('on_error' = 'null');
SHOW TBLPROPERTIES kafka.${prefix}d ('on_error');
COMMENT ON TABLE kafka.${prefix}d IS 'digits';
DESCRIBE TABLE EXTENDED kafka.${prefix}d;
DROP STREAM kafka.${prefix}d;
DROP TABLE kafka.${prefix}d;
SELECT CAST(ROWVAL AS STRING) AS v FROM kafka.${prefix}d;
USE kafka;
CREATE TYPE ${prefix}point AS STRUCT<x INT, y INT>;
CREATE TYPE ${prefix}point AS INT;
CREATE STREAM ${prefix}p (p ${prefix}point) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO ${prefix}p VALUES (named_struct('x', 1, 'y', 2));
SELECT p.x + p.y AS s FROM ${prefix}p;
DROP TYPE ${prefix}point;
DROP TYPE ${prefix}point;
CREATE TABLE ${prefix}made USING kafkalyst TBLPROPERTIES ('value_format' = 'JSON', 'partitions' = '1') AS SELECT id AS n FROM range(3);
SELECT sum(n) FROM ${prefix}made;
DROP STREAM ${prefix}made;
DROP TABLE ${prefix}made PURGE;
DROP STREAM ${prefix}p DELETE TOPIC;
SELECT * FROM kafka.`no/topic`;
CREATE SCHEMA kafka.${prefix}new;
ALTER TABLE kafka.${prefix}d RENAME TO kafka.${prefix}e;
-- A definition gains columns as its schema does.
CREATE STREAM ${prefix}f (v STRING) WITH (VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
CREATE STREAM spark_catalog.golden.grows (v STRING) WITH (KAFKA_TOPIC = '${prefix}f', VALUE_FORMAT = 'AVRO');
ALTER TABLE ${prefix}f SET TBLPROPERTIES ('schema.evolution' = 'add');
ALTER STREAM spark_catalog.golden.grows ADD COLUMN more INT;
INSERT INTO spark_catalog.golden.grows VALUES ('a', 1);
SELECT * FROM ${prefix}f;
DESCRIBE TABLE ${prefix}f;
-- Flink's statements make definitions, too.
CREATE TABLE kafka.${prefix}flink (id INT, v STRING, at TIMESTAMP(3) METADATA FROM 'timestamp', part INT METADATA FROM 'partition' VIRTUAL, up AS UPPER(v), WATERMARK FOR at AS at - INTERVAL '5' SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}fl', 'format' = 'json', 'key.format' = 'json', 'key.fields' = 'id');
INSERT INTO kafka.${prefix}flink (id, v, at) VALUES (1, 'a', TIMESTAMP '2026-01-01 00:00:00');
SELECT * FROM kafka.${prefix}flink;
SHOW CREATE TABLE kafka.${prefix}flink;
DESCRIBE TABLE kafka.${prefix}flink;
CREATE TABLE kafka.${prefix}upsert (id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}up', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO kafka.${prefix}upsert VALUES (1, 'a'), (1, 'b');
SELECT * FROM kafka.${prefix}upsert;
SHOW CREATE TABLE kafka.${prefix}upsert;
CREATE TABLE kafka.${prefix}elsewhere (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}fl', 'format' = 'json', 'properties.bootstrap.servers' = 'elsewhere:9092');
DROP TABLE kafka.${prefix}upsert;
DROP TABLE kafka.${prefix}flink;
