-- CREATE TABLE … LIKE: what is taken, left out and replaced; COMMENT and Flink's other spellings of types.
-- topic: ${prefix}t partitions=1
-- topic: ${prefix}u partitions=1
-- record: ${prefix}t key={"id":1} {"id":1,"name":"a","at":"2024-05-06 07:08:09"}
CREATE TABLE base (
  id INT,
  name STRING COMMENT 'as shown',
  at TIMESTAMP(3),
  `offset` BIGINT METADATA VIRTUAL COMMENT 'of the record',
  loud AS upper(name),
  WATERMARK FOR at AS at - INTERVAL '5' SECOND
) COMMENT 'people' WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'key.fields' = 'id', 'value.format' = 'json');
CREATE TABLE same LIKE base;
SHOW CREATE TABLE same AS FLINK;
SELECT * FROM same;
CREATE TABLE IF NOT EXISTS same LIKE base;
CREATE TABLE other (x INT, hs MAP<STRING, BYTES> METADATA FROM 'headers') WITH ('topic' = '${prefix}u', 'format' = 'csv', 'csv.field-delimiter' = ';') LIKE base;
INSERT INTO other VALUES (2, 'b', NULL, 3, map('h', X'01'));
SELECT * FROM other;
SHOW CREATE TABLE other AS FLINK;
CREATE TABLE bare (n INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}u', 'format' = 'csv', 'csv.field-delimiter' = ';') LIKE base (EXCLUDING ALL);
SHOW CREATE TABLE bare AS FLINK;
CREATE TABLE changed (`offset` STRING METADATA VIRTUAL, loud AS name || '!', WATERMARK FOR at AS at) LIKE base (OVERWRITING METADATA OVERWRITING GENERATED OVERWRITING WATERMARKS INCLUDING OPTIONS);
SHOW CREATE TABLE changed AS FLINK;
CREATE TABLE x (name STRING) LIKE base;
CREATE TABLE x (o BIGINT METADATA FROM 'offset') LIKE base;
CREATE TABLE x (loud AS name) LIKE base;
CREATE TABLE x (WATERMARK FOR at AS at) LIKE base;
CREATE TABLE x WITH ('topic' = '${prefix}u') LIKE base (INCLUDING OPTIONS);
CREATE TABLE x LIKE base (OVERWRITING CONSTRAINTS);
CREATE TABLE x LIKE base (INCLUDING EVERYTHING);
CREATE TABLE x LIKE base (INCLUDING METADATA EXCLUDING METADATA);
CREATE TABLE x (a INT) LIKE nosuch;
CREATE TABLE upserts (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE more (at STRING) LIKE upserts;
SELECT * FROM more;
CREATE TABLE x (PRIMARY KEY (name) NOT ENFORCED) LIKE upserts;
CREATE TABLE renamed (PRIMARY KEY (name) NOT ENFORCED) LIKE upserts (EXCLUDING CONSTRAINTS);
SHOW CREATE TABLE renamed AS FLINK;
CREATE TABLE types (a VARBINARY(3), b BINARY(2), c CHAR, d DOUBLE PRECISION, e ROW(x INT, y DECIMAL(10, 2) NOT NULL) NOT NULL, f ROW<x INT 'the x', y ROW(z CHAR(3))>, g STRING NULL) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
DESCRIBE types;
CREATE STREAM s (a INT COMMENT 'no') WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
CREATE TABLE files (a INT) USING parquet;
CREATE TABLE more_files LIKE files;
DESCRIBE more_files;
DROP TABLE files;
DROP TABLE more_files;
CREATE TABLE broken LIKE base TBLPROPERTIES ('a' = 'b');
SHOW STREAMS;
SELECT * FROM broken;
DROP TABLE broken;
SHOW TABLES;
-- Without the other's options the statement needs its own.
CREATE TABLE bare LIKE base (EXCLUDING OPTIONS);
CREATE TABLE bare WITH ('topic' = '${prefix}t', 'format' = 'json') LIKE base (EXCLUDING ALL);
CREATE TABLE bare (id INT) WITH ('topic' = '${prefix}t', 'format' = 'json');
