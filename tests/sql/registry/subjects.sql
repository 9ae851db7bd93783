-- Under which subject a schema is looked up and registered.
-- schema: order ${prefix}shop.Order {"type":"record","name":"Order","namespace":"shop","fields":[{"name":"id","type":"long"},{"name":"note","type":["null","string"],"default":null}]}
-- schema: again ${prefix}r-shop.Order {"type":"record","name":"Order","namespace":"shop","fields":[{"name":"id","type":"long"},{"name":"note","type":["null","string"],"default":null}]}
-- replace: schema id \d+ => schema id n
-- topic: ${prefix}r partitions=1
CREATE STREAM named WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}shop.Order');
DESCRIBE named;
INSERT INTO named VALUES (1, 'x');
CREATE STREAM by_record WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT_STRATEGY = 'RecordName', VALUE_SCHEMA_FULL_NAME = '${prefix}shop.Order');
SELECT * FROM by_record;
CREATE STREAM by_both WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT_STRATEGY = 'io.confluent.kafka.serializers.subject.TopicRecordNameStrategy', VALUE_SCHEMA_FULL_NAME = 'shop.Order');
SELECT * FROM by_both;
-- A derived schema is registered under the subject that is named, its record as it is said.
CREATE STREAM mine (a INT) WITH (KAFKA_TOPIC = '${prefix}m', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', VALUE_SUBJECT_STRATEGY = 'TopicRecordName', VALUE_SCHEMA_FULL_NAME = 'my.Record');
INSERT INTO mine VALUES (5);
CREATE STREAM found WITH (KAFKA_TOPIC = '${prefix}m', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}m-my.Record');
SELECT * FROM found;
-- Nothing is registered where that is not wanted.
CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}n', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', AUTO_REGISTER = 'false');
CREATE STREAM e (x STRING) WITH (KAFKA_TOPIC = '${prefix}m', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}m-my.Record', AUTO_REGISTER = 'false', USE_LATEST = 'false');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'AVRO');
CREATE STREAM equal (a INT) WITH (KAFKA_TOPIC = '${prefix}m', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}m-my.Record', VALUE_SCHEMA_FULL_NAME = 'my.Record', AUTO_REGISTER = 'false');
CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}m', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}m-my.Record', VALUE_SUBJECT_STRATEGY = 'RecordName');
-- Twins that are refused.
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT_STRATEGY = 'RecordName');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT_STRATEGY = 'ByRecord');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_FULL_NAME = 'a.B', VALUE_AVRO_SCHEMA_FULL_NAME = 'a.B');
CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'JSON', VALUE_SCHEMA_FULL_NAME = 'a.B');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = ' ');
CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'AVRO', AUTO_REGISTER = 'no');
