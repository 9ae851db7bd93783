-- ksqlDB's comparisons, lists and casts: FALSE where a side is null, null where a value does not fit, no silent casts.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
CREATE STREAM t (k INT KEY, i INT, n INT, b BIGINT, s STRING, f BOOLEAN, ts TIMESTAMP, dt DATE, a ARRAY<INT>, m MAP<STRING, INT>, st STRUCT<x INT, y STRING>, by BYTES)
WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t VALUES (1, 7, NULL, 10000000000, '7', true, timestamp '2021-01-01 00:00:00.123', date '2021-01-01', array(3, 1), map('a', 1, 'b', 2), named_struct('x', 5, 'y', 'q'), X'0000000A');
CREATE STREAM compared AS SELECT k, n = 3 AS eq, n <> 3 AS ne, NOT (n = 3) AS noteq, n IN (1, 2) AS isin, i IN (1, '7') AS text, n BETWEEN 1 AND 2 AS btw, ts > '2020-01-01' AS later, dt = '2021-01-01' AS day, dt < ts AS mixed, a = ARRAY[3, 1] AS arr, m = MAP('b' := 2, 'a' := 1) AS mp, st = STRUCT(x := 5, y := 'q') AS str FROM t;
PRINT '${prefix}COMPARED';
CREATE STREAM casts AS SELECT k, CAST(ts AS STRING) AS ts, CAST('7.9' AS INT) AS frac, CAST('foo' AS BOOLEAN) AS no, CAST('Ye' AS BOOLEAN) AS yes, CAST(st AS STRUCT<y STRING, z INT>) AS st, CAST(a AS ARRAY<STRING>) AS arr, CAST(b AS INT) AS wraps, CAST('x' AS TIMESTAMP) AS none, INT_FROM_BYTES(by) AS n, INT_FROM_BYTES(by, 'LITTLE_ENDIAN') AS little, BIGINT_FROM_BYTES(by) AS short FROM t;
PRINT '${prefix}CASTS';
CREATE STREAM lists AS SELECT k, ARRAY['a', 1] AS texts, ARRAY[1, '2', 3.5] AS numbers, MAP('a' := 1, 'b' := 2) AS two, TRANSFORM(m, (x, y) => 'same', (x, y) => y) AS folded FROM t;
PRINT '${prefix}LISTS';
CREATE STREAM e AS SELECT k, i = '7' AS x FROM t;
CREATE STREAM e AS SELECT k, s > 1 AS x FROM t;
CREATE STREAM e AS SELECT k, f > FALSE AS x FROM t;
CREATE STREAM e AS SELECT k, a < a AS x FROM t;
CREATE STREAM e AS SELECT k, i FROM t WHERE n = NULL;
CREATE STREAM e AS SELECT k, CASE WHEN i > 3 THEN 1 ELSE 'x' END AS x FROM t;
CREATE STREAM e AS SELECT k, COALESCE(n, 'x') AS x FROM t;
CREATE STREAM e AS SELECT k, s + 1 AS x FROM t;
CREATE STREAM e AS SELECT k, LEN(i) AS x FROM t;
CREATE STREAM e AS SELECT k, CAST(f AS INT) AS x FROM t;
CREATE STREAM e AS SELECT k, CAST(s AS ARRAY<INT>) AS x FROM t;
CREATE STREAM e AS SELECT k, ARRAY[NULL] AS x FROM t;
CREATE STREAM e AS SELECT k, MAP('a' := NULL) AS x FROM t;
CREATE STREAM e AS SELECT k, TRANSFORM(a, (x, y) => x) AS x FROM t;
CREATE STREAM e AS SELECT k, TRANSFORM(a, i => i + 1) AS x FROM t;
CREATE STREAM e AS SELECT k, i FROM t WHERE i;
CREATE TABLE e AS SELECT i, COUNT(*) AS c FROM t GROUP BY i HAVING COUNT(*);
CREATE TABLE e AS SELECT i + 1 AS j, COUNT(*) AS c FROM t GROUP BY j;
CREATE STREAM e AS SELECT k, i, ROWTIME FROM t;
SHOW STREAMS;
