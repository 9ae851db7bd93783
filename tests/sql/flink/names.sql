-- Flink's names of its first catalog and database, SHOW COLUMNS, and options with other rules there.
-- replace: (?m)^Search path: .*\n =>
-- replace: and the properties [^\n]* SQLSTATE => and the properties … SQLSTATE
-- topic: ${prefix}t partitions=1
-- topic: ${prefix}u partitions=1
CREATE TABLE default_catalog.default_database.named_t (id INT, n STRING, up AS upper(n), ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
INSERT INTO default_catalog.default_database.named_t VALUES (1, 'a');
INSERT INTO `default_database`.`named_t` SELECT 2, 'b';
SELECT id, up FROM default_catalog.default_database.named_t;
SELECT t.id FROM default_database.named_t AS t WHERE t.id = 2;
SHOW COLUMNS FROM default_database.named_t;
SHOW COLUMNS FROM default.named_t LIKE '_p%';
SHOW COLUMNS IN default_database.named_t NOT LIKE '%p%';
SHOW COLUMNS FROM nosuch LIKE 'x';
SELECT id, CURRENT_WATERMARK(ts) IS NULL AS w FROM default.named_t;
SELECT CURRENT_WATERMARK(id) FROM default.named_t;
DROP TABLE default_catalog.default_database.named_t;
DROP STREAM default.named_t;
-- The same names where there is no such table, and of what is not a topic.
DROP TABLE IF EXISTS `default_catalog`.`default_database`.nosuch;
DROP TABLE default_catalog.default_database.nosuch;
DROP VIEW IF EXISTS default_database.nosuch;
SELECT * FROM default_catalog.default_database.nosuch;
INSERT INTO default_catalog.default_database.nosuch VALUES (1);
CREATE VIEW default_catalog.default_database.named_v AS SELECT 1 AS a;
SELECT a FROM default_database.named_v;
DROP VIEW default_catalog.default_database.named_v;
USE CATALOG default_catalog;
USE default_catalog.default_database;
SHOW CURRENT DATABASE;
USE golden;
USE default_database;
SHOW CURRENT DATABASE;
USE golden;
-- A schema of this name is Spark's.
CREATE DATABASE default_database;
USE default_database;
SHOW CURRENT DATABASE;
USE golden;
DROP DATABASE default_database;
-- Options.
CREATE TABLE x (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'sink.parallelism' = '0');
CREATE TABLE x (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'sink.delivery-guarantee' = 'exactly-once');
CREATE TABLE x (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'protobuf', 'protobuf.message-class-name' = 'com.example.Message');
CREATE TABLE x (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'sink.semantic' = 'exactly-once', 'sink.transactional-id-prefix' = 'mine');
SHOW CREATE TABLE x AS FLINK;
-- A PRIMARY KEY is NOT NULL.
CREATE TABLE u (a INT, b INT, s STRING, PRIMARY KEY (a, b) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}u', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO u VALUES (1, CAST(NULL AS INT), 'x');
INSERT INTO u VALUES (1, 2, 'x');
SELECT * FROM u;
