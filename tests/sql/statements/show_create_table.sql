-- Spark's SHOW CREATE TABLE of a topic gives a text that makes the object again, whatever its names and texts are.
-- topic: ${prefix}f
-- topic: ${prefix}d
-- record: ${prefix}f key=K {"id":1,"n":2}
CREATE TABLE f (`id` INT COMMENT 'it\'s', ID STRING, ts TIMESTAMP(3) METADATA FROM 'timestamp' VIRTUAL,
  c AS `id` + 1 COMMENT 'co"m', n INT NOT NULL, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) COMMENT 'a \\ "table"'
  WITH ('connector' = 'kafka', 'topic' = '${prefix}f', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset',
  'key.format' = 'raw', 'key.fields' = 'ID', 'value.fields-include' = 'EXCEPT_KEY');
SHOW CREATE TABLE f;
SHOW CREATE STREAM f AS FLINK;
SHOW CREATE STREAM f AS KSQLDB;
DROP TABLE f;
CREATE TABLE spark_catalog.golden.f (
  COL_0 INT,
  COL_1 STRING,
  ts TIMESTAMP_NTZ,
  n INT)
USING kafkalyst
TBLPROPERTIES ('kafka_topic' = '${prefix}f');
DROP TABLE f;
CREATE STREAM Lines (a STRING, b STRING) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'DELIMITED', VALUE_DELIMITER = '\\');
SHOW CREATE TABLE Lines;
SHOW CREATE TABLE Lines AS SERDE;
DROP STREAM Lines;
SET spark.sql.catalog.kafka = io.kafkalyst.KafkaCatalog;
CREATE STREAM kafka.${prefix}d (a STRING, b STRING) WITH (VALUE_FORMAT = 'DELIMITED', VALUE_DELIMITER = '\\');
SHOW CREATE TABLE kafka.${prefix}d;
DROP STREAM kafka.${prefix}d;
