-- ARRAYs and ROWs of csv: one field with their parts, separated by csv.array-element-delimiter.
CREATE TABLE lines (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'raw', 'PARTITIONS' = '1');
CREATE TABLE parts (id BIGINT, a ARRAY<STRING>, r ROW<x INT, y STRING>, da ARRAY<DATE>, rr ROW<d DECIMAL(5, 2), t TIMESTAMP(3), b BYTES, l BOOLEAN>) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'csv');
INSERT INTO parts VALUES
  (1, ARRAY('a', 'b'), NAMED_STRUCT('x', 1, 'y', 'z'), ARRAY(DATE '2024-01-02'), NAMED_STRUCT('d', 1.5, 't', TIMESTAMP_NTZ '2024-01-02 03:04:05.678', 'b', X'0102', 'l', true)),
  (2, ARRAY('a,b', 'c"d', ''), NAMED_STRUCT('x', CAST(NULL AS INT), 'y', 'y'), NULL, NULL), (3, NULL, NULL, ARRAY(), NULL), (4, ARRAY('a', NULL), NULL, NULL, NULL);
SELECT * FROM lines;
SELECT * FROM parts;
SELECT r.y, rr.t, a[1] AS second FROM parts WHERE id < 3;
INSERT INTO lines VALUES ('5,a,1;2;3,,'), ('6,a,x;2,,'), ('7,a,1,2024-01-02;no,');
SELECT id, r FROM parts;
CREATE TABLE lenient WITH ('csv.ignore-parse-errors' = 'true') LIKE parts;
SELECT * FROM lenient WHERE id > 4;
SHOW CREATE TABLE parts AS FLINK;
CREATE TABLE others (id BIGINT, a ARRAY<INT>) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'PARTITIONS' = '1', 'format' = 'csv', 'csv.array-element-delimiter' = '|', 'csv.null-literal' = 'n/a');
INSERT INTO others VALUES (1, ARRAY(1, 2, NULL)), (2, NULL);
SELECT * FROM others;
SHOW CREATE TABLE others AS FLINK;
CREATE TABLE other_lines (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'raw');
SELECT * FROM other_lines;
CREATE TABLE x (a ARRAY<ARRAY<INT>>) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'csv');
CREATE TABLE x (a MAP<STRING, INT>) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'csv');
CREATE TABLE longer (id INT, a ARRAY<INT>) WITH ('connector' = 'kafka', 'topic' = '${prefix}l', 'PARTITIONS' = '1', 'format' = 'csv', 'csv.array-element-delimiter' = '||');
INSERT INTO longer VALUES (1, ARRAY(2, 3));
SELECT * FROM longer;
CREATE TABLE longer_lines (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}l', 'format' = 'raw');
SELECT * FROM longer_lines;
SHOW CREATE TABLE longer AS FLINK;
-- In ksqlDB's words they need the property.
CREATE STREAM ours (a ARRAY<INT>) WITH (KAFKA_TOPIC = '${prefix}k', VALUE_FORMAT = 'DELIMITED', PARTITIONS = 1);
CREATE STREAM ours (a ARRAY<INT>, s STRUCT<x INT, y STRING>) WITH (KAFKA_TOPIC = '${prefix}k', VALUE_FORMAT = 'DELIMITED', VALUE_ARRAY_DELIMITER = '/', PARTITIONS = 1);
INSERT INTO ours VALUES (ARRAY(1, 2), NAMED_STRUCT('x', 1, 'y', NULL));
SELECT * FROM ours;
CREATE TABLE our_lines (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}k', 'format' = 'raw');
SELECT * FROM our_lines;
