-- A side's columns are those of a schema that is given by its id, from whatever subject; names keep their case.
-- schema: order ${prefix}elsewhere {"type":"record","name":"Order","namespace":"shop","fields":[{"name":"orderId","type":"long"},{"name":"Customer","type":["null","string"],"default":null},{"name":"note","type":"string","default":"-"}]}
-- schema: k ${prefix}elsewhere-key "long"
-- schema: json ${prefix}elsewhere-json JSON {"type":"object","title":"Order","properties":{"a":{"type":"integer"}}}
CREATE STREAM s WITH (KAFKA_TOPIC = '${prefix}s', PARTITIONS = 1, KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'AVRO', KEY_SCHEMA_ID = ${id.k}, VALUE_SCHEMA_ID = ${id.order});
DESCRIBE s;
INSERT INTO s VALUES (7, 1, 'me', 'x');
INSERT INTO s (rowkey, orderid) VALUES (8, 2);
SELECT * FROM s;
-- A null into a field that must have a value.
INSERT INTO s (rowkey, customer) VALUES (9, 'nobody');
-- The schema is the topic's own now, so it is found without its id.
CREATE STREAM again WITH (KAFKA_TOPIC = '${prefix}s', FORMAT = 'AVRO');
DESCRIBE again;
-- Twins that are refused.
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', KEY_SCHEMA_ID = ${id.k});
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}s', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'AVRO', KEY_SCHEMA_ID = ${id.k});
CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', VALUE_SCHEMA_ID = ${id.order});
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = ${id.json});
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = 2147483646);
CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = ${id.order});
CREATE STREAM e (a INT KEY) WITH (KAFKA_TOPIC = '${prefix}s', KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'AVRO', KEY_SCHEMA_ID = ${id.k});
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = 'one');
SHOW STREAMS;
DROP STREAM again;
DROP STREAM s DELETE TOPIC;
