-- In ksqlDB's dialect `*` has the key, the value's columns and the headers, wherever they are declared.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM stays (ha BINARY METADATA FROM 'headers.a', W INT, k INT KEY, V STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', KEY_FORMAT = 'KAFKA', PARTITIONS = 1);
INSERT INTO stays (ha, k, W, V) VALUES (X'78', 1, 7, 'one');
SELECT * FROM stays;
SET spark.kafkalyst.dialect = ksqldb;
CREATE STREAM h (ha BYTES HEADER('a'), w INT, hs ARRAY<STRUCT<key STRING, value BYTES>> HEADERS, k INT KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
SELECT * FROM h;
CREATE STREAM whole AS SELECT * FROM h;
DESCRIBE whole;
