-- ksqlDB's functions on values of types that it lacks.
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM t (k INT KEY, f FLOAT, at TIMESTAMP_NTZ, small SMALLINT) WITH (KAFKA_TOPIC = '${prefix}t', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t VALUES (1, 1.5, TIMESTAMP_NTZ '2024-03-10 02:30:00.123', 7);
SELECT TO_JSON_STRING(f) AS f, TO_JSON_STRING(at) AS at, TO_JSON_STRING(STRUCT(array(at) AS at, f, small)) AS all FROM t;
SELECT JSON_ARRAY_CONTAINS('[1.5]', f) AS f, JSON_ARRAY_CONTAINS('[1, 7]', small) AS small, JSON_ARRAY_CONTAINS('["7"]', small) AS text FROM t;
CREATE STREAM texts WITH (KAFKA_TOPIC = '${prefix}texts') AS SELECT k, CAST(ARRAY[at] AS STRING) AS times, CAST(STRUCT(at := at) AS STRING) AS row FROM t;
SELECT * FROM texts;
