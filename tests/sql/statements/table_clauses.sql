-- What Spark's CREATE TABLE has and a topic has not is refused with what a topic has instead.
-- spark: 4.1 4.2
-- replace: golden\.t, Project .* => golden.t, …
CREATE TABLE t (id INT) USING kafkalyst LOCATION '/tmp/x' TBLPROPERTIES ('kafka_topic' = '${prefix}t', 'value_format' = 'JSON', 'partitions' = '1');
CREATE EXTERNAL TABLE t (id INT) USING kafkalyst LOCATION '/tmp/x' TBLPROPERTIES ('kafka_topic' = '${prefix}t', 'value_format' = 'JSON');
CREATE TABLE t USING kafkalyst LOCATION '/tmp/x' AS SELECT 1 AS id;
CREATE TABLE t (id INT, v INT) USING kafkalyst CLUSTER BY (id);
CREATE TABLE t (id INT, v INT) USING kafkalyst PARTITIONED BY (id) TBLPROPERTIES ('kafka_topic' = '${prefix}t', 'value_format' = 'JSON');
CREATE TABLE t (id INT, v INT) USING kafkalyst CLUSTERED BY (id) INTO 4 BUCKETS;
CREATE TABLE t USING kafkalyst CLUSTER BY (id) AS SELECT 1 AS id;
CREATE TABLE t (id INT PRIMARY KEY, v INT) USING kafkalyst TBLPROPERTIES ('kafka_topic' = '${prefix}t', 'value_format' = 'JSON', 'partitions' = '1');
CREATE TABLE t (id INT, v INT CHECK (v > 0)) USING kafkalyst TBLPROPERTIES ('kafka_topic' = '${prefix}t', 'value_format' = 'JSON');
CREATE TABLE t (id INT, v INT GENERATED ALWAYS AS (id + 1)) USING kafkalyst TBLPROPERTIES ('kafka_topic' = '${prefix}t', 'value_format' = 'JSON');
CREATE TABLE t (id BIGINT GENERATED ALWAYS AS IDENTITY, v INT) USING kafkalyst TBLPROPERTIES ('kafka_topic' = '${prefix}t', 'value_format' = 'JSON');
CREATE TABLE kafka.${prefix}t (id INT PRIMARY KEY, v INT);
CREATE TABLE kafka.${prefix}t (id INT, v INT) CLUSTER BY (id);
SHOW TABLES;
-- DROP TABLE … PURGE of the session's catalog leaves the topic.
CREATE TABLE t (id INT, v INT) USING kafkalyst TBLPROPERTIES ('kafka_topic' = '${prefix}t', 'format' = 'JSON', 'key.fields' = 'id', 'partitions' = '1');
DROP TABLE t PURGE;
SHOW TOPICS LIKE '${prefix}t';
EXPLAIN CREATE TABLE t USING kafkalyst AS SELECT 1 AS id;
