-- DECIMALs in csv: Java's text, which has an exponent below 0.000001, or all digits.
CREATE TABLE d (id INT, d DECIMAL(20, 10), a ARRAY<DECIMAL(9, 7)>, n DECIMAL(10, 2)) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'format' = 'csv', 'PARTITIONS' = '1');
CREATE TABLE plain WITH ('csv.write-bigdecimal-in-scientific-notation' = 'false') LIKE d;
INSERT INTO d VALUES (1, 0.0000000001, ARRAY(0.0000001, 1), 100), (2, 0, NULL, 2.50);
INSERT INTO plain VALUES (3, 0.0000000001, ARRAY(0.0000001, 1), 100);
CREATE STREAM bytes (v STRING) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'KAFKA');
SELECT * FROM bytes;
SELECT * FROM d;
SHOW CREATE TABLE d AS FLINK;
SHOW CREATE TABLE plain AS FLINK;
CREATE TABLE e WITH ('csv.write-bigdecimal-in-scientific-notation' = 'no') LIKE d;
