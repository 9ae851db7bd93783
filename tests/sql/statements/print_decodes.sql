-- PRINT decodes by the schema whose id a record begins with, else by the object over the topic; texts are as they are.
-- schema: pb ${prefix}pb PROTOBUF syntax = "proto3"; message A { int32 a = 1; } message B { string b = 1; repeated int32 l = 2; }
-- schema: rec ${prefix}rec {"type":"record","name":"R","namespace":"shop","fields":[{"name":"a","type":"int"},{"name":"s","type":{"type":"record","name":"S","fields":[{"name":"t","type":["null","string"]}]}}]}
-- topic: ${prefix}texts partitions=1
-- record: ${prefix}texts key=k {"a":1}
-- record: ${prefix}texts key=abcd {"a":2}
-- record: ${prefix}texts key=12345678 null
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
CREATE STREAM avro (k STRING KEY, a INT, d DECIMAL(5, 2), t TIMESTAMP, l ARRAY<STRING>, b BINARY) WITH (KAFKA_TOPIC = '${prefix}avro', FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO avro VALUES ('x', 1, 2.5, TIMESTAMP '1970-01-01 00:00:01', array('l', NULL), X'00FF');
PRINT '${prefix}avro';
CREATE STREAM rec WITH (KAFKA_TOPIC = '${prefix}rec', VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = ${id.rec}, PARTITIONS = 1);
INSERT INTO rec VALUES (1, named_struct('t', 'in'));
CREATE STREAM bare (i BIGINT) WITH (KAFKA_TOPIC = '${prefix}rec', VALUE_FORMAT = 'AVRO', WRAP_SINGLE_VALUE = 'false', VALUE_SUBJECT = '${prefix}bare');
INSERT INTO bare VALUES (7);
PRINT '${prefix}rec' FROM BEGINNING;
CREATE STREAM b WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF', VALUE_SCHEMA_ID = ${id.pb}, VALUE_SCHEMA_FULL_NAME = 'B', PARTITIONS = 1);
INSERT INTO b VALUES ('text', array(1, 2));
CREATE STREAM a WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF', VALUE_SCHEMA_ID = ${id.pb}, VALUE_SCHEMA_FULL_NAME = 'A');
INSERT INTO a VALUES (3);
PRINT '${prefix}p' FROM BEGINNING;
CREATE STREAM j (k INT KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}j', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON_SR', PARTITIONS = 1);
INSERT INTO j VALUES (1, 2), (1684234849, NULL);
PRINT '${prefix}j' FROM BEGINNING;
CREATE STREAM numbers (k BIGINT KEY, d DOUBLE) WITH (KAFKA_TOPIC = '${prefix}n', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'KAFKA', PARTITIONS = 1);
INSERT INTO numbers VALUES (5, 1.5);
PRINT '${prefix}n';
CREATE STREAM nosr (k INT KEY, a INT, s STRUCT<x STRING>) WITH (KAFKA_TOPIC = '${prefix}nosr', FORMAT = 'PROTOBUF_NOSR', PARTITIONS = 1);
INSERT INTO nosr VALUES (1, 2, named_struct('x', 'y'));
PRINT '${prefix}nosr';
CREATE TABLE windowed (k STRING PRIMARY KEY, n INT) WITH (KAFKA_TOPIC = '${prefix}w', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON', WINDOW_TYPE = 'TUMBLING', WINDOW_SIZE = '10 SECONDS', PARTITIONS = 1);
CREATE STREAM raw (k BINARY KEY, n INT) WITH (KAFKA_TOPIC = '${prefix}w', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
INSERT INTO raw VALUES (X'616263000000000000C350', 4);
PRINT '${prefix}w';
PRINT '${prefix}texts' FROM BEGINNING;
-- Without an object over the topic a number is told by its length.
DROP STREAM numbers;
PRINT '${prefix}n';
CREATE STREAM odd (k BINARY KEY, v BINARY) WITH (KAFKA_TOPIC = '${prefix}odd', FORMAT = 'KAFKA', PARTITIONS = 1);
INSERT INTO odd VALUES (X'FF', X'0000FFFFFF01');
PRINT '${prefix}odd';
-- DESCRIBE TOPIC names the subjects of records, too.
CREATE STREAM named (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}named', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_FULL_NAME = 'shop.${prefix}N', VALUE_SUBJECT_STRATEGY = 'TopicRecordName');
INSERT INTO named VALUES ('a', 1);
DESCRIBE TOPIC '${prefix}named';
DROP STREAM named;
DESCRIBE TOPIC '${prefix}named';
