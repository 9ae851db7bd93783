-- One value column of csv: NULL and '' are a value of no bytes, which deletes no row.
CREATE TABLE texts (id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}texts', 'key.format' = 'csv', 'value.format' = 'csv', 'value.fields-include' = 'EXCEPT_KEY', 'PARTITIONS' = '1');
INSERT INTO texts VALUES (1, 'a'), (2, NULL), (3, '');
INSERT INTO texts SELECT 1, CAST(NULL AS STRING);
SELECT * FROM texts;
CREATE TABLE raw_texts (id STRING, v BYTES) WITH ('connector' = 'kafka', 'topic' = '${prefix}texts', 'key.format' = 'raw', 'key.fields' = 'id', 'value.format' = 'raw', 'value.fields-include' = 'EXCEPT_KEY', 'scan.empty-records' = 'row');
SELECT id, hex(v) FROM raw_texts ORDER BY id, v;
CREATE TABLE numbers (id INT, n INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}texts', 'key.format' = 'csv', 'value.format' = 'csv', 'value.fields-include' = 'EXCEPT_KEY');
SELECT * FROM numbers WHERE id > 1;
DELETE FROM texts WHERE id = 3;
SELECT * FROM texts;
-- The literal of NULL is a line.
CREATE TABLE literals (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}literals', 'format' = 'csv', 'csv.null-literal' = 'n/a', 'PARTITIONS' = '1');
INSERT INTO literals VALUES (NULL), (''), ('b');
SELECT v, v IS NULL FROM literals;
-- A STREAM of one column has the rows that were written, unless bad records are skipped.
CREATE TABLE lenient WITH ('csv.ignore-parse-errors' = 'true') LIKE literals;
SELECT * FROM lenient;
SELECT COUNT(*) FROM lenient;
-- Several columns have a line of delimiters, so no bytes are no line.
CREATE TABLE raw_lines (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}lines', 'format' = 'raw', 'PARTITIONS' = '1');
INSERT INTO raw_lines VALUES (''), ('1,x');
CREATE TABLE lines (a INT, b STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}lines', 'format' = 'csv');
SELECT * FROM lines;
CREATE TABLE lenient_lines WITH ('csv.ignore-parse-errors' = 'true') LIKE lines;
SELECT * FROM lenient_lines;
SELECT COUNT(*) FROM lenient_lines;
-- In other dialects such a NULL is a record without a value.
CREATE STREAM ours (id INT KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}ours', VALUE_FORMAT = 'DELIMITED', PARTITIONS = 1);
INSERT INTO ours VALUES (1, NULL);
SELECT id, _tombstone FROM ours;
