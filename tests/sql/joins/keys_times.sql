-- Times within an ARRAY that is a join's key are compared, and given back, to the microsecond.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (C[ST]AS|INSERTQUERY)_?[A-Z0-9_]*_\d+ => ${query}
CREATE STREAM ${prefix}l (id ARRAY<TIMESTAMP> KEY, x INT) WITH (KAFKA_TOPIC = '${prefix}l', KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'JSON', KEY_TIMESTAMP_UNIT = 'MICROS', PARTITIONS = 1);
CREATE TABLE ${prefix}r (id ARRAY<TIMESTAMP> PRIMARY KEY, y INT) WITH (KAFKA_TOPIC = '${prefix}r', KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'JSON', KEY_TIMESTAMP_UNIT = 'MICROS', PARTITIONS = 1);
INSERT INTO ${prefix}r VALUES (array(TIMESTAMP '2026-01-01 00:00:00.000111'), 1), (array(TIMESTAMP '1400-01-01 00:00:00.000123'), 3);
INSERT INTO ${prefix}l VALUES (array(TIMESTAMP '2026-01-01 00:00:00.000222'), 2), (array(TIMESTAMP '2026-01-01 00:00:00.000111'), 4), (array(TIMESTAMP '1400-01-01 00:00:00.000123'), 5);
CREATE STREAM ${prefix}j WITH (VALUE_FORMAT = 'JSON', KEY_TIMESTAMP_UNIT = 'MICROS') AS SELECT l.id AS id, x, y FROM ${prefix}l l JOIN ${prefix}r r ON l.id = r.id;
SELECT * FROM ${prefix}j;
