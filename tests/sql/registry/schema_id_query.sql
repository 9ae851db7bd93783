-- CREATE … AS SELECT into a schema given by its id: the result's columns are its leading fields.
-- schema: wide ${prefix}elsewhere {"type":"record","name":"Wide","fields":[{"name":"id","type":"long"},{"name":"Name","type":["null","string"],"default":null},{"name":"extra","type":"string","default":"by default"},{"name":"last","type":["null","int"]}]}
-- schema: strict ${prefix}strict {"type":"record","name":"Strict","fields":[{"name":"id","type":"long"},{"name":"name","type":"string"}]}
-- schema: more ${prefix}more {"type":"record","name":"More","fields":[{"name":"id","type":"long"},{"name":"needed","type":"string"}]}
-- schema: json ${prefix}elsewhere-json JSON {"type":"object","title":"Order","properties":{"a":{"type":"integer"}}}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
CREATE STREAM s (id BIGINT, name STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO s VALUES (1, 'a'), (2, NULL);
CREATE STREAM t WITH (KAFKA_TOPIC = '${prefix}t', VALUE_SCHEMA_ID = ${id.wide}) AS SELECT id, name AS Name FROM s;
DESCRIBE t;
SELECT * FROM t;
-- What follows the columns in the schema is its default, else null.
CREATE STREAM whole WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO');
SELECT * FROM whole;
-- Each difference of name, case, type and place is told.
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}e', VALUE_SCHEMA_ID = ${id.wide}) AS SELECT CAST(id AS INT) AS id, name FROM s;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}e', VALUE_SCHEMA_ID = ${id.wide}) AS SELECT name AS Name, id FROM s;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}e', VALUE_SCHEMA_ID = ${id.strict}) AS SELECT id, name, name AS third FROM s;
-- The format is the source's unless it is given, and the schema's in any case.
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}e', VALUE_SCHEMA_ID = ${id.json}) AS SELECT id FROM s;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}e', VALUE_FORMAT = 'JSON', VALUE_SCHEMA_ID = ${id.wide}) AS SELECT id FROM s;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}e', VALUE_SCHEMA_ID = 2147483646) AS SELECT id FROM s;
-- A field that must have a value and gets none fails the query when it writes.
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}e', VALUE_SCHEMA_ID = ${id.more}) AS SELECT id FROM s;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}f', VALUE_SCHEMA_ID = ${id.strict}) AS SELECT id, name FROM s WHERE name IS NULL;
-- The result of a statement says what the schema requires; a row that cannot be written is named by its record.
INSERT INTO s VALUES (3, 'c');
CREATE STREAM named WITH (KAFKA_TOPIC = '${prefix}g', VALUE_SCHEMA_ID = ${id.strict}) AS SELECT id, name FROM s WHERE id <> 2;
SELECT * FROM named;
-- This registry has no modes: that a key's schema stays open to changes is not a failure, but said.
SET spark.kafkalyst.schema.registry.key.readonly = true;
CREATE STREAM keyed (id BIGINT KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}keyed', FORMAT = 'AVRO', PARTITIONS = 1);
CREATE STREAM copied AS SELECT * FROM keyed;
SET spark.kafkalyst.schema.registry.key.readonly = false;
CREATE STREAM quiet (id BIGINT KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}quiet', FORMAT = 'AVRO', PARTITIONS = 1);
