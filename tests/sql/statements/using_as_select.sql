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
