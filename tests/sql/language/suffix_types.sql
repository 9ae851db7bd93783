-- ARRAY behind its elements' type, as in ksqlDB's grammar: in columns, named types, casts and new columns.
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
CREATE STREAM s (k STRING KEY, i INT ARRAY, t VARCHAR ARRAY, deep INT ARRAY ARRAY, d DECIMAL(4, 2) ARRAY, vs VARCHAR(STRING) ARRAY) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
DESCRIBE s;
CREATE TYPE tags AS STRUCT<array INT, names STRING ARRAY, `b` BYTES ARRAY>;
CREATE STREAM n (k STRING KEY, m MAP<STRING, INT ARRAY>, st STRUCT<x INT> ARRAY, both ARRAY<INT ARRAY>, ts tags ARRAY) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
DESCRIBE n;
ALTER STREAM n ADD COLUMN more BIGINT ARRAY;
DESCRIBE n;
INSERT INTO s (k, i, t) VALUES ('a', CAST(ARRAY['1', '2'] AS INT ARRAY), ARRAY['x']);
SELECT CAST(i AS VARCHAR ARRAY) AS t, CAST(ARRAY[i] AS BIGINT ARRAY ARRAY) AS deep, CAST(NULL AS tags ARRAY) AS named FROM s EMIT CHANGES;
CREATE STREAM wrong (k STRING KEY, a NOSUCH ARRAY) WITH (KAFKA_TOPIC = '${prefix}w', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM alone (k STRING KEY, a ARRAY) WITH (KAFKA_TOPIC = '${prefix}w', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
