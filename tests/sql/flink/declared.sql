-- Lengths, precisions, NOT NULL and comments are kept and shown, so that the text runs on Flink again.
-- topic: ${prefix}t
CREATE TABLE t (
  id BIGINT NOT NULL COMMENT 'the order''s number',
  code VARCHAR(10),
  fixed CHAR(3) NOT NULL,
  bytes VARBINARY(4),
  at TIMESTAMP(3),
  seen TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' COMMENT 'when it came',
  r ROW<a VARCHAR(3) NOT NULL, b TIMESTAMP(6)>,
  n STRING
) COMMENT 'orders' WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'key.fields' = 'id', 'value.format' = 'json', 'scan.startup.mode' = 'latest-offset');
DESCRIBE t;
SHOW CREATE TABLE t AS FLINK;
CREATE TABLE again WITH ('scan.startup.mode' = 'earliest-offset') LIKE t;
SHOW CREATE TABLE again AS FLINK;
SHOW CREATE TABLE again AS KSQLDB;

-- What is NOT NULL is written with a value, in every format; rows that are read may lack it.
CREATE TABLE needed (a INT NOT NULL, b STRING, h MAP<STRING, BYTES> NOT NULL METADATA FROM 'headers') WITH (
  'connector' = 'kafka', 'topic' = '${prefix}needed', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset', 'partitions' = '1');
INSERT INTO needed (b, h) VALUES ('x', MAP['k', X'01']);
INSERT INTO needed VALUES (CAST(NULL AS INT), 'x', MAP['k', X'01']);
INSERT INTO needed (a, b) VALUES (1, 'x');
INSERT INTO needed VALUES (1, CAST(NULL AS STRING), MAP['k', X'01']);
SELECT * FROM needed;

-- ARRAY and MULTISET behind the elements' type.
CREATE TABLE behind (a INT ARRAY, b STRING MULTISET, c VARCHAR(3) NOT NULL ARRAY NOT NULL, d ROW<x INT ARRAY, `array` INT, y ROW<z DECIMAL(5, 2) ARRAY ARRAY>> ARRAY, e MAP<STRING, TIMESTAMP(3) ARRAY>, `array` INT) WITH (
  'connector' = 'kafka', 'topic' = '${prefix}behind', 'format' = 'json', 'partitions' = '1');
DESCRIBE behind;
SHOW CREATE TABLE behind AS FLINK;

-- Clauses that a topic's table does not have.
CREATE TABLE x (id INT) DISTRIBUTED BY HASH (id) INTO 4 BUCKETS WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (id INT, r ROW<ts TIMESTAMP(3)>, WATERMARK FOR r.ts AS r.ts - INTERVAL '5' SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
-- Nobody checks keys.
CREATE TABLE x (id BIGINT, PRIMARY KEY (id)) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}x', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE x (id BIGINT PRIMARY KEY) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}x', 'key.format' = 'json', 'value.format' = 'json');
