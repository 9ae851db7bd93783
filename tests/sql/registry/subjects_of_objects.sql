-- DESCRIBE EXTENDED tells subject and version of each side; DROP … DELETE TOPIC deletes what the object uses.
-- replace: schema id \d+ => schema id n
-- replace: schema id \| \d+ => schema id | n
-- schema: v1 ${prefix}mine {"type":"record","name":"R","namespace":"shop","fields":[{"name":"a","type":"int"}]}
-- schema: v2 ${prefix}mine {"type":"record","name":"R","namespace":"shop","fields":[{"name":"a","type":"int"},{"name":"b","type":["null","int"],"default":null}]}
-- schema: other ${prefix}t-value {"type":"record","name":"R","namespace":"shop","fields":[{"name":"x","type":"int"}]}
CREATE STREAM s WITH (KAFKA_TOPIC = '${prefix}t', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}mine');
DESCRIBE s EXTENDED;
CREATE STREAM k (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}k', PARTITIONS = 1, FORMAT = 'AVRO', VALUE_SUBJECT_STRATEGY = 'TopicRecordName');
DESCRIBE k EXTENDED;
-- Its own subject goes, the one that it does not use stays.
DROP STREAM s DELETE TOPIC;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}t', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}mine');
CREATE STREAM s WITH (KAFKA_TOPIC = '${prefix}t', PARTITIONS = 1, VALUE_FORMAT = 'AVRO');
-- A subject that another topic's object uses stays.
CREATE STREAM shares WITH (KAFKA_TOPIC = '${prefix}u', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}t-value');
DROP STREAM shares DELETE TOPIC;
DESCRIBE s EXTENDED;
DROP STREAM s DELETE TOPIC;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}t', PARTITIONS = 1, VALUE_FORMAT = 'AVRO');
DROP STREAM k DELETE TOPIC;
-- A registry that is not there is no reason not to describe.
CREATE STREAM s (a INT) WITH (KAFKA_TOPIC = '${prefix}t', PARTITIONS = 1, VALUE_FORMAT = 'AVRO');
SET spark.kafkalyst.schema.registry.url = http://localhost:1;
SET spark.kafkalyst.schema.registry.max.retries = 0;
DESCRIBE s EXTENDED;
