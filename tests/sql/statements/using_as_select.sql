-- CREATE TABLE … USING kafkalyst AS SELECT, in the session catalog and in the cluster's: topic and definition, or neither.
CREATE TABLE c USING kafkalyst TBLPROPERTIES ('kafka_topic' = '${prefix}c', 'partitions' = '2', 'value_format' = 'JSON', 'key.fields' = 'id')
AS SELECT * FROM VALUES (1, 'a'), (2, 'b') AS t(id, v);
SELECT id, v, ROWKEY.id AS k FROM c ORDER BY id;
DESCRIBE c;
CREATE OR REPLACE TABLE c USING kafkalyst AS SELECT 1 AS v;
CREATE TABLE e USING kafkalyst TBLPROPERTIES ('kafka_topic' = '${prefix}c', 'value_format' = 'JSON') AS SELECT 1 AS v;
CREATE TABLE d USING kafkalyst PARTITIONED BY (v) AS SELECT 1 AS v;
CREATE TABLE kafka.`${prefix}d` USING kafkalyst AS SELECT * FROM c;
SELECT * FROM kafka.`${prefix}d` ORDER BY id;
CREATE TABLE kafka.`${prefix}d` USING kafkalyst AS SELECT 1 AS v;
DROP TABLE kafka.`${prefix}d` PURGE;
SELECT * FROM kafka.`${prefix}d`;
DROP STREAM c DELETE TOPIC;
-- A topic has no other source, also if it is Spark's default.
CREATE TABLE kafka.`${prefix}f` USING parquet AS SELECT 1 AS v;
CREATE TABLE kafka.`${prefix}f` (v INT) USING json;
USE kafka;
CREATE TABLE `${prefix}f` (v INT) USING parquet;
CREATE TABLE `${prefix}f` AS SELECT 1 AS v;
SELECT v FROM `${prefix}f`;
DROP TABLE `${prefix}f` PURGE;
USE spark_catalog.golden;
CREATE TABLE files USING parquet AS SELECT 1 AS v;
DROP TABLE files;
