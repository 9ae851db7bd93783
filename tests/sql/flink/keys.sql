-- Keys of Flink's tables: order, prefix, what the value has of them, and whether both agree.
-- topic: ${prefix}o
-- topic: ${prefix}p
-- topic: ${prefix}v
-- topic: ${prefix}d partitions=1
-- record: ${prefix}v key={"id":1} {"id":1,"v":1}
-- record: ${prefix}v key={"id":2} {"id":3,"v":2}
-- record: ${prefix}v key={"id":4} {"v":4}
CREATE TABLE ordered (a INT, b STRING, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'key.format' = 'csv', 'key.fields' = ' b ; a ', 'value.format' = 'json', 'value.fields-include' = 'except_key');
INSERT INTO ordered VALUES (1, 'x', 5);
SELECT * FROM ordered;
CREATE STREAM bytes (k STRING KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}o', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'KAFKA');
SELECT * FROM bytes;
CREATE TABLE prefixed (k_id BIGINT, id STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}p', 'key.format' = 'json', 'key.fields' = 'k_id', 'key.fields-prefix' = 'k_', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY');
INSERT INTO prefixed VALUES (7, 'seven');
SELECT * FROM prefixed;
CREATE STREAM texts (k STRING KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}p', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'KAFKA');
SELECT * FROM texts;
CREATE TABLE upserts (k_id BIGINT, id STRING, PRIMARY KEY (k_id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}p', 'key.format' = 'json', 'key.fields-prefix' = 'k_', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY');
SELECT * FROM upserts;
CREATE TABLE plain (id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}v', 'key.format' = 'json', 'key.fields' = 'id', 'value.format' = 'json');
SELECT * FROM plain;
CREATE TABLE verified (id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}v', 'key.format' = 'json', 'key.fields' = 'id', 'value.format' = 'json', 'fields.verify-integrity' = 'true');
SELECT v FROM verified;
SELECT v FROM verified WITH ('on_error' = 'skip');
SELECT * FROM verified WITH ('fields.verify-integrity' = 'false');
CREATE TABLE told (id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}v', 'key.format' = 'json', 'key.fields' = 'id', 'value.format' = 'json', 'fields.verify-integrity' = 'true', 'on_error' = 'null');
SELECT *, _error FROM told;
CREATE TABLE x (id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}p', 'key.format' = 'json', 'key.fields' = 'id', 'key.fields-prefix' = 'k_', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY');
CREATE TABLE x (k_id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}p', 'key.format' = 'json', 'key.fields' = 'k_id', 'key.fields-prefix' = 'k_', 'value.format' = 'json');
CREATE TABLE x (id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}p', 'key.format' = 'json', 'key.fields' = 'ID', 'value.format' = 'json');
CREATE TABLE x (id BIGINT, o BIGINT METADATA FROM 'offset' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}p', 'key.format' = 'json', 'key.fields' = 'o', 'value.format' = 'json');
CREATE TABLE x (id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}p', 'key.format' = 'json', 'key.fields' = 'id', 'value.format' = 'json', 'value.fields-include' = 'except-key');
CREATE TABLE x (id BIGINT, v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}p', 'key.format' = 'json', 'key.fields' = 'id', 'value.format' = 'raw');
CREATE TABLE x (id BIGINT, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}p', 'key.format' = 'json', 'value.format' = 'json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE x (id BIGINT, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}p', 'key.format' = 'json', 'value.format' = 'json', 'sink.buffer-flush.max-rows' = '5');
CREATE TABLE x (id BIGINT, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}p', 'key.format' = 'json', 'value.format' = 'json', 'key.fields' = 'id');
CREATE TABLE deleted (k_a INT, k_b STRING, a STRING, PRIMARY KEY (k_b, k_a) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}d', 'key.format' = 'json', 'key.fields-prefix' = 'k_', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY');
INSERT INTO deleted VALUES (1, 'x', 'one'), (2, 'y', 'two');
DELETE FROM deleted WHERE k_a = 1 AND k_b = 'x';
SELECT * FROM deleted;
CREATE STREAM deletions (k STRING KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}d', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'KAFKA');
SELECT * FROM deletions;
-- The record's key is the row's where the value lacks it.
CREATE TABLE whole (id BIGINT, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}v', 'key.format' = 'json', 'value.format' = 'json');
SELECT * FROM whole;
SELECT COUNT(*) FROM whole;
