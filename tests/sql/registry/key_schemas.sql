-- A key schema does not change: the keys' bytes hold its id.
-- schema: number ${prefix}u-key "int"
-- schema: long ${prefix}elsewhere-key "long"
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
CREATE STREAM s (k BIGINT KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}s', FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO s VALUES (1, 10);
SELECT * FROM s;
-- The same again is nothing new.
CREATE STREAM t WITH (KAFKA_TOPIC = '${prefix}t') AS SELECT k, v FROM s;
SELECT * FROM t;
-- Another one is refused.
CREATE STREAM u WITH (KAFKA_TOPIC = '${prefix}u') AS SELECT k, v FROM s;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}s', FORMAT = 'AVRO', KEY_SCHEMA_ID = ${id.number});
SHOW STREAMS;
DROP STREAM t;
DROP STREAM s DELETE TOPIC;
