-- Which records are rows: those without key or value, bad ones, and what formats' options say.
-- topic: ${prefix}t
-- topic: ${prefix}j
-- topic: ${prefix}times
-- topic: ${prefix}csv partitions=1
-- record: ${prefix}t key={"id":1} {"id":1,"v":1}
-- record: ${prefix}t {"id":2,"v":2}
-- record: ${prefix}t key={"id":3} null
-- record: ${prefix}t key={"id":4} {"v":4}
-- record: ${prefix}j {"v":1,"s":{"a":"x","b":2}}
-- record: ${prefix}j {bad
-- record: ${prefix}j {"v":"x","s":{"a":[1,{"q":2}],"b":3}}
-- record: ${prefix}j {"s":5}
CREATE TABLE json_rows (id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'key.fields' = 'id', 'value.format' = 'json');
SELECT * FROM json_rows;
SELECT count(*) FROM json_rows;
SELECT * FROM json_rows EMIT CHANGES;
CREATE TABLE all_rows (id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'key.fields' = 'id', 'value.format' = 'json', 'scan.empty-records' = 'row');
SELECT * FROM all_rows;
CREATE TABLE raw_rows (k STRING, v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'key.format' = 'raw', 'key.fields' = 'k', 'value.format' = 'raw', 'value.fields-include' = 'EXCEPT_KEY');
SELECT * FROM raw_rows;
CREATE TABLE upserts (id BIGINT, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'value.format' = 'json');
SELECT id, v, _tombstone FROM upserts EMIT CHANGES;
CREATE TABLE lenient (v INT, s ROW<a STRING, b INT>) WITH ('connector' = 'kafka', 'topic' = '${prefix}j', 'format' = 'json', 'json.ignore-parse-errors' = 'true');
SELECT * FROM lenient;
CREATE TABLE strict (v INT, s ROW<a STRING, b INT>) WITH ('connector' = 'kafka', 'topic' = '${prefix}j', 'value.format' = 'json', 'value.json.fail-on-missing-field' = 'true', 'on_error' = 'null');
SELECT *, _error FROM strict;
CREATE TABLE failing (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}j', 'format' = 'json');
SELECT * FROM failing;
SELECT * FROM failing WITH ('json.ignore-parse-errors' = 'true');
CREATE TABLE times (d DATE, t TIMESTAMP(3), z TIMESTAMP_LTZ(3)) WITH ('connector' = 'kafka', 'topic' = '${prefix}times', 'format' = 'json');
INSERT INTO times VALUES (DATE'2024-05-06', TIMESTAMP_NTZ'2024-05-06 07:08:09.12', TIMESTAMP'2024-05-06 07:08:09.12');
CREATE TABLE iso (d DATE, t TIMESTAMP(3), z TIMESTAMP_LTZ(3)) WITH ('connector' = 'kafka', 'topic' = '${prefix}times', 'value.format' = 'json', 'value.json.timestamp-format.standard' = 'ISO-8601');
INSERT INTO iso SELECT * FROM times;
CREATE STREAM numbers (d DATE, t TIMESTAMP_NTZ, z TIMESTAMP) WITH (KAFKA_TOPIC = '${prefix}times', VALUE_FORMAT = 'JSON');
INSERT INTO numbers SELECT * FROM times LIMIT 1;
-- Numbers are times of Kafkalyst's own standard only.
SELECT * FROM times;
SELECT * FROM times /*+ OPTIONS('json.timestamp-format.standard' = 'NUMBER') */;
CREATE STREAM texts (v STRING) WITH (KAFKA_TOPIC = '${prefix}times', VALUE_FORMAT = 'KAFKA');
SELECT * FROM texts;
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}j', 'format' = 'json', 'value.json.fail-on-missing-field' = 'true');
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}j', 'format' = 'json', 'json.nosuch' = 'true');
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}j', 'format' = 'json', 'json.map-null-key.mode' = 'NULL');
CREATE TABLE omitting (id INT, m MAP<STRING, INT>, r ROW<x INT, y STRING>, a ARRAY<INT>) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'PARTITIONS' = '1', 'format' = 'json', 'json.encode.ignore-null-fields' = 'true', 'json.map-null-key.mode' = 'LITERAL', 'json.map-null-key.literal' = 'none');
INSERT INTO omitting VALUES (1, map('a', NULL), named_struct('x', NULL, 'y', 'b'), array(NULL)), (NULL, NULL, NULL, NULL);
CREATE TABLE omitted (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'raw');
SELECT * FROM omitted;
SELECT * FROM omitting;
SHOW CREATE TABLE omitting AS FLINK;
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}j', 'format' = 'json', 'csv.field-delimiter' = ';');
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}j', 'format' = 'json', 'json.ignore-parse-errors' = 'true', 'json.fail-on-missing-field' = 'true');
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}j', 'format' = 'raw', 'raw.endianness' = 'middle-endian');
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}j', 'format' = 'avro-confluent', 'avro-confluent.url' = 'http://elsewhere');
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}j', 'format' = 'avro-confluent', 'avro-confluent.basic-auth.user-info' = 'a:b');
CREATE TABLE csv_times (d DATE, t TIMESTAMP(3), z TIMESTAMP_LTZ(3)) WITH ('connector' = 'kafka', 'topic' = '${prefix}csv', 'format' = 'csv');
INSERT INTO csv_times VALUES (DATE'2024-05-06', TIMESTAMP_NTZ'2024-05-06 07:00:00', TIMESTAMP'2024-05-06 07:08:09.12');
CREATE STREAM csv_numbers (d DATE, t TIMESTAMP_NTZ, z TIMESTAMP) WITH (KAFKA_TOPIC = '${prefix}csv', VALUE_FORMAT = 'DELIMITED');
INSERT INTO csv_numbers SELECT * FROM csv_times;
SELECT * FROM csv_numbers;
SELECT * FROM csv_times;
CREATE STREAM csv_texts (v STRING) WITH (KAFKA_TOPIC = '${prefix}csv', VALUE_FORMAT = 'KAFKA');
SELECT * FROM csv_texts;
SHOW CREATE STREAM csv_times AS KSQLDB;
SHOW CREATE STREAM csv_times AS FLINK;
SHOW CREATE STREAM csv_numbers AS FLINK;
