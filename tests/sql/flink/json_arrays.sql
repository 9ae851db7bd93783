-- A JSON value that is an array is a row for each of its objects, in tables of Flink's DDL.
CREATE TABLE lines (k STRING, v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'PARTITIONS' = '1', 'key.format' = 'raw', 'key.fields' = 'k', 'value.format' = 'raw', 'value.fields-include' = 'EXCEPT_KEY');
CREATE TABLE rows (k INT, a INT, s STRING, o BIGINT METADATA FROM 'offset' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'key.fields' = 'k', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY');
INSERT INTO lines VALUES ('{"k":7}', '[{"a":1,"s":"x"},{"a":2}]'), ('{"k":8}', '{"a":3}'), ('{"k":9}', '[]'), ('{"k":10}', ' [ {"a":4} , null ] ');
SELECT * FROM rows;
SELECT COUNT(*) FROM rows;
SELECT o FROM rows;
SELECT k, o, ARRAY(s) FROM rows WHERE a > 1;
SELECT * FROM rows EMIT CHANGES;
-- The value's columns overwrite the key's; events' own arrays stay bad.
CREATE TABLE whole (k INT, a INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'key.fields' = 'k', 'value.format' = 'json');
SELECT * FROM whole;
CREATE STREAM ours (a INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
SELECT * FROM ours;
-- What is not an object.
INSERT INTO lines VALUES ('{"k":11}', '[{"a":5},7,{"a":"x"},[{"a":9}],{"a":6}]'), ('{"k":12}', '[{"a":8}'), ('{"k":13}', 'null'), ('{"k":14}', '[{"a":9}] x');
SELECT * FROM rows;
SELECT * FROM rows WITH ('value.json.ignore-parse-errors' = 'true');
SELECT COUNT(*) FROM rows WITH ('value.json.ignore-parse-errors' = 'true');
CREATE TABLE kept WITH ('ON_ERROR' = 'null') LIKE rows;
SELECT *, _error IS NULL AS good FROM kept;
-- A table's key has one row.
CREATE TABLE upserts (k INT, a INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'value.format' = 'json');
SELECT * FROM upserts;
