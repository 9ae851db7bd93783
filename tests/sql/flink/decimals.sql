-- DECIMALs in keys and values of JSON have the form that Flink's options choose, so equal keys are equal bytes.
-- topic: ${prefix}d partitions=1
CREATE TABLE d (k DECIMAL(10, 2), v ARRAY<DECIMAL(30, 20)>, n INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'key.format' = 'json', 'key.fields' = 'k', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY');
INSERT INTO d VALUES (100, ARRAY(100, 0.5, 0, 0.00000000001, NULL), 1), (2.50, NULL, 2), (0, NULL, 3), (-12345678.90, NULL, 4);
CREATE STREAM bytes (k STRING KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}d', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'KAFKA');
SELECT * FROM bytes;
SELECT * FROM d;
SHOW CREATE TABLE d AS FLINK;
SHOW CREATE TABLE d AS KSQLDB;
CREATE TABLE e (d DECIMAL(10, 2), n INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'format' = 'json', 'json.encode.decimal-as-plain-number' = 'true');
INSERT INTO e VALUES (2.50, 1), (100, 2);
SELECT * FROM bytes WHERE k IS NULL;
SHOW CREATE TABLE e AS FLINK;
CREATE STREAM f (d DECIMAL(10, 2)) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'JSON');
SHOW CREATE TABLE f AS FLINK;
CREATE STREAM g (d DECIMAL(10, 2)) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'JSON', VALUE_DECIMAL_FORM = 'plain');
