-- A key's record as one column, and as a column for each of its fields, in every format.
-- schema: avro ${prefix}a-key {"type":"record","name":"K","fields":[{"name":"Region","type":["null","string"],"default":null},{"name":"no","type":"int"}]}
-- schema: json ${prefix}j-key JSON {"type":"object","title":"K","properties":{"Region":{"type":"string"},"no":{"type":"integer","connect.type":"int32"}}}
-- schema: proto ${prefix}p-key PROTOBUF syntax = "proto3"; message K { string Region = 1; int32 no = 2; }
-- schema: one ${prefix}one-key {"type":"record","name":"One","fields":[{"name":"id","type":"long"}]}
-- schema: bare ${prefix}bare-key "long"
-- schema: same ${prefix}same-value {"type":"record","name":"V","fields":[{"name":"Region","type":["null","string"],"default":null},{"name":"nothing","type":"null"},{"name":"in","type":{"type":"record","name":"In","fields":[{"name":"empty","type":{"type":"array","items":"null"}},{"name":"x","type":"int"}]}}]}
-- topic: ${prefix}same partitions=1
CREATE STREAM whole (v INT) WITH (KAFKA_TOPIC = '${prefix}a', PARTITIONS = 1, KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'JSON');
DESCRIBE whole;
CREATE STREAM a (v INT) WITH (KAFKA_TOPIC = '${prefix}a', KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'JSON', KEY_COLUMNS = 'FLATTEN');
DESCRIBE a;
INSERT INTO a VALUES ('EU', 1, 10), (NULL, 2, 20);
INSERT INTO whole VALUES (named_struct('Region', 'US', 'no', 3), 30);
SELECT * FROM a;
SELECT * FROM whole;
CREATE STREAM j (v INT) WITH (KAFKA_TOPIC = '${prefix}j', PARTITIONS = 1, KEY_FORMAT = 'JSON_SR', VALUE_FORMAT = 'JSON', KEY_COLUMNS = 'flatten');
INSERT INTO j VALUES ('EU', 1, 10);
SELECT * FROM j;
CREATE STREAM p (v INT) WITH (KAFKA_TOPIC = '${prefix}p', PARTITIONS = 1, KEY_FORMAT = 'PROTOBUF', VALUE_FORMAT = 'JSON', KEY_COLUMNS = 'FLATTEN');
INSERT INTO p VALUES ('EU', 1, 10);
SELECT * FROM p;
-- By an id, a key of one field, and as a table's key.
CREATE TABLE one (v INT) WITH (KAFKA_TOPIC = '${prefix}one', PARTITIONS = 1, KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'JSON', KEY_SCHEMA_ID = ${id.one}, KEY_COLUMNS = 'FLATTEN');
DESCRIBE one;
INSERT INTO one VALUES (1, 2);
SELECT * FROM one;
-- Key declared, value looked up: what can be no column is told.
CREATE STREAM told (region STRING KEY) WITH (KAFKA_TOPIC = '${prefix}same', VALUE_FORMAT = 'AVRO');
DESCRIBE told;
-- Both looked up; the same name on both sides.
CREATE STREAM both WITH (KAFKA_TOPIC = '${prefix}same', KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'AVRO', KEY_SUBJECT = '${prefix}a-key', KEY_COLUMNS = 'FLATTEN');
DESCRIBE both;
-- Twins that are refused.
CREATE STREAM e (k INT KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}a', KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'JSON', KEY_COLUMNS = 'FLATTEN');
CREATE STREAM e (v INT) WITH (KAFKA_TOPIC = '${prefix}a', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON', KEY_COLUMNS = 'FLATTEN');
CREATE STREAM e (v INT) WITH (KAFKA_TOPIC = '${prefix}bare', PARTITIONS = 1, KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'JSON', KEY_COLUMNS = 'FLATTEN');
CREATE STREAM e (v INT) WITH (KAFKA_TOPIC = '${prefix}a', KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'JSON', KEY_COLUMNS = 'FLATTEN', KEY_FORMAT_TYPE = 'PLAIN');
CREATE STREAM e (v INT) WITH (KAFKA_TOPIC = '${prefix}a', KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'JSON', KEY_COLUMNS = 'flat');
