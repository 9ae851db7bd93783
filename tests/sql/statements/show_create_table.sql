-- Spark's SHOW CREATE TABLE of a topic gives a text that makes the object again, whatever its names and texts are.
-- topic: ${prefix}f
-- topic: ${prefix}d
-- record: ${prefix}f key=K {"id":1,"n":2}
CREATE TABLE f (`id` INT COMMENT 'it''s', ID STRING, ts TIMESTAMP(3) METADATA FROM 'timestamp' VIRTUAL,
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
COMMENT 'a \\\\ "table"'
TBLPROPERTIES (
  'kafka_topic' = '${prefix}f',
  'kafkalyst.computed.columns' = '[["c","`id` + 1","`id` + 1","3"]]',
  'kafkalyst.declared.columns' = '[["id","INT","INT","it\'s"],["ts","TIMESTAMP(3)","TIMESTAMP_NTZ",""],["n","INT NOT NULL","INT",""],["c","","","co\\"m"]]',
  'kafkalyst.key.columns' = '["COL_1"]',
  'kafkalyst.kind' = 'STREAM',
  'kafkalyst.metadata.columns' = '[["2","timestamp","true"]]',
  'kafkalyst.renamed.columns' = '{"type":"struct","fields":[{"name":"COL_0","type":"integer","nullable":true,"metadata":{"kafkalyst.type":"\\"integer\\"","kafkalyst.role":"value","kafkalyst.internal":"COL_0","kafkalyst.name":"id"}},{"name":"COL_1","type":"string","nullable":true,"metadata":{"kafkalyst.type":"\\"string\\"","kafkalyst.role":"key","kafkalyst.internal":"COL_1","kafkalyst.name":"ID"}}]}',
  'kafkalyst.value.option.coerce' = 'true',
  'kafkalyst.value.option.timestamp_standard' = 'SQL',
  'kafkalyst.watermark' = '[["ts","ts - INTERVAL \'5\' SECOND"]]',
  'key_format' = 'KAFKA',
  'on_error' = 'fail',
  'scan.empty-records' = 'skip',
  'scan.startup.mode' = 'earliest-offset',
  'value_format' = 'JSON');
SELECT `id`, `ID`, c, n FROM f;
DESCRIBE f;
SHOW CREATE TABLE f;
DROP TABLE f;
CREATE STREAM Lines (a STRING, b STRING) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'DELIMITED', VALUE_DELIMITER = U&'\005C');
SHOW CREATE TABLE Lines;
DROP STREAM Lines;
CREATE TABLE spark_catalog.golden.lines (
  a STRING,
  b STRING)
USING kafkalyst
TBLPROPERTIES (
  'kafka_topic' = '${prefix}d',
  'kafkalyst.key.columns' = '[]',
  'kafkalyst.kind' = 'STREAM',
  'kafkalyst.name' = 'Lines',
  'kafkalyst.value.option.delimiter' = '\\',
  'key_format' = 'KAFKA',
  'on_error' = 'fail',
  'value_format' = 'DELIMITED');
SHOW STREAMS;
SHOW CREATE STREAM Lines AS KSQLDB;
DROP STREAM Lines;
SET spark.sql.catalog.kafka = io.kafkalyst.KafkaCatalog;
CREATE STREAM kafka.${prefix}d (a STRING, b STRING) WITH (VALUE_FORMAT = 'DELIMITED', VALUE_DELIMITER = U&'\005C');
SHOW CREATE TABLE kafka.${prefix}d;
DROP STREAM kafka.${prefix}d;
