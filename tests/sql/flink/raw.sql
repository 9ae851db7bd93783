-- Flink's raw: types, byte orders and character sets of one bare column.
-- topic: ${prefix}r partitions=1
-- topic: ${prefix}s partitions=1
-- topic: ${prefix}c partitions=1
CREATE TABLE floats (k SMALLINT, v FLOAT) WITH ('connector' = 'kafka', 'topic' = '${prefix}r', 'key.format' = 'raw', 'key.fields' = 'k', 'value.format' = 'raw', 'value.fields-include' = 'EXCEPT_KEY');
INSERT INTO floats VALUES (1, 1.5), (-2, NULL);
SELECT * FROM floats;
CREATE TABLE little (k SMALLINT, v FLOAT) WITH ('connector' = 'kafka', 'topic' = '${prefix}r', 'key.format' = 'raw', 'key.raw.endianness' = 'little-endian', 'key.fields' = 'k', 'value.format' = 'raw', 'value.fields-include' = 'EXCEPT_KEY');
INSERT INTO little VALUES (1, 2.5);
SELECT * FROM little;
CREATE STREAM bytes (k BYTES KEY, v BYTES) WITH (KAFKA_TOPIC = '${prefix}r', FORMAT = 'KAFKA');
SELECT * FROM bytes;
CREATE TABLE flags (v BOOLEAN) WITH ('connector' = 'kafka', 'topic' = '${prefix}s', 'format' = 'raw');
INSERT INTO flags VALUES (true), (false);
CREATE TABLE small (v TINYINT) WITH ('connector' = 'kafka', 'topic' = '${prefix}s', 'format' = 'raw');
INSERT INTO small VALUES (-3);
SELECT * FROM flags;
SELECT * FROM small;
CREATE TABLE wide (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}s', 'format' = 'raw', 'raw.endianness' = 'little-endian');
SELECT * FROM wide;
CREATE TABLE latin (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}c', 'format' = 'raw', 'raw.charset' = 'ISO-8859-1');
INSERT INTO latin VALUES ('é'), (NULL), ('');
SELECT * FROM latin;
CREATE STREAM latin_bytes (v BYTES) WITH (KAFKA_TOPIC = '${prefix}c', VALUE_FORMAT = 'KAFKA');
SELECT * FROM latin_bytes;
SHOW CREATE TABLE floats AS FLINK;
SHOW CREATE TABLE little AS FLINK;
SHOW CREATE TABLE little AS KSQLDB;
SHOW CREATE TABLE latin AS FLINK;
CREATE TABLE x (v DATE) WITH ('connector' = 'kafka', 'topic' = '${prefix}s', 'format' = 'raw');
CREATE TABLE x (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}s', 'format' = 'raw', 'raw.charset' = 'morse');
CREATE STREAM x (v BOOLEAN) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'KAFKA');
CREATE STREAM x (v INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', VALUE_BYTE_ORDER = 'LITTLE-ENDIAN');
