-- Columns that are looked up, and every way in which that fails.
-- schema: avro ${prefix}a-value {"type":"record","name":"A","fields":[{"name":"x","type":"int"}]}
-- schema: json ${prefix}j-value JSON {"type":"object","title":"J","properties":{"x":{"type":"integer"}}}
-- schema: bare ${prefix}bare-value "long"
-- schema: nothing ${prefix}nothing-value {"type":"record","name":"N","fields":[{"name":"x","type":"null"}]}
-- schema: itself ${prefix}itself-value {"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]}]}
-- schema: two ${prefix}two-value PROTOBUF syntax = "proto3"; message One { int32 a = 1; } message Two { string b = 1; }
-- schema: union ${prefix}union-value ["null",{"type":"record","name":"One","namespace":"x","fields":[{"name":"a","type":"int"}]},{"type":"record","name":"Two","namespace":"x","fields":[{"name":"b","type":"int"}]}]
-- replace: schema id \d+ => schema id n
-- A bare value is one column ROWVAL, also without WRAP_SINGLE_VALUE.
CREATE STREAM bare WITH (KAFKA_TOPIC = '${prefix}bare', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', WRAP_SINGLE_VALUE = FALSE);
INSERT INTO bare VALUES (7);
SELECT * FROM bare;
CREATE STREAM bare_too WITH (KAFKA_TOPIC = '${prefix}bare', VALUE_FORMAT = 'AVRO');
CREATE STREAM bare_too WITH (KAFKA_TOPIC = '${prefix}bare', VALUE_FORMAT = 'AVRO', WRAP_SINGLE_VALUE = FALSE);
SELECT * FROM bare_too;
CREATE STREAM bare_by_id WITH (KAFKA_TOPIC = '${prefix}bare', VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = ${id.bare}, WRAP_SINGLE_VALUE = FALSE);
SELECT ROWVAL FROM bare_by_id;
-- One of several messages or records by its full name.
CREATE STREAM two WITH (KAFKA_TOPIC = '${prefix}two', PARTITIONS = 1, VALUE_FORMAT = 'PROTOBUF', VALUE_SCHEMA_FULL_NAME = 'Two');
DESCRIBE two;
CREATE STREAM one WITH (KAFKA_TOPIC = '${prefix}union', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_FULL_NAME = 'x.Two');
DESCRIBE one;
-- Twins that are refused.
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}j', PARTITIONS = 1, VALUE_FORMAT = 'AVRO');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}a', PARTITIONS = 1, VALUE_FORMAT = 'PROTOBUF');
CREATE STREAM e (x INT) WITH (KAFKA_TOPIC = '${prefix}j', PARTITIONS = 1, VALUE_FORMAT = 'AVRO');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}nothing', PARTITIONS = 1, VALUE_FORMAT = 'AVRO');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}itself', PARTITIONS = 1, VALUE_FORMAT = 'AVRO');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}itself', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = ${id.itself});
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}two', VALUE_FORMAT = 'PROTOBUF');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}two', VALUE_FORMAT = 'PROTOBUF', VALUE_SCHEMA_FULL_NAME = 'Three');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}union', VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_FULL_NAME = 'x.Three');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}a', PARTITIONS = 1, KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'AVRO');
SET spark.kafkalyst.schema.registry.url=;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}a', PARTITIONS = 1, VALUE_FORMAT = 'AVRO');
CREATE STREAM e (x INT) WITH (KAFKA_TOPIC = '${prefix}a', PARTITIONS = 1, VALUE_FORMAT = 'AVRO');
SHOW STREAMS;
