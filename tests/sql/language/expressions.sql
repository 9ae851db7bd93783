-- ksqlDB's language in a continuous query: places from 1, fields, texts joined by +, whole quotients, nulls for errors.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
CREATE STREAM t (k INT KEY, i INT, b BIGINT, d DOUBLE, n DECIMAL(6, 2), s STRING, arr ARRAY<INT>, m MAP<STRING, INT>,
  st STRUCT<a INT, b STRUCT<c STRING>>, flag BOOLEAN)
WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t VALUES (1, 7, 2, 2.5, 10.25, 'ab', array(10, 20, 30), map('x', 1), named_struct('a', 5, 'b', named_struct('c', 'in')), true);
CREATE STREAM places AS SELECT k, arr[1] AS first, arr[-1] AS last, arr[0] AS zero, arr[4] AS beyond, m['x'] AS x, m['y'] AS y, st->b->c, st->a AS a2, arr[i - 5] AS computed FROM t;
PRINT '${prefix}PLACES';
CREATE STREAM numbers AS SELECT k, i / 2 AS whole, i / b AS big, i / 0 AS zero, d / 2 AS dbl, n / 3 AS dec, i % 4 AS modulo, i + b AS sum, i * 1.5 AS product, -i AS minus FROM t;
DESCRIBE numbers;
PRINT '${prefix}NUMBERS';
CREATE STREAM texts AS SELECT k, s + '-' + s AS joined, 'a\d' AS backslash, 'it''s' AS quote, CAST('x' AS INT) AS none, CAST(d AS VARCHAR) AS text, CAST(s AS BYTES) AS bytes, CAST('12' AS BIGINT) AS num, CAST(n AS DECIMAL(4, 1)) AS narrow FROM t;
DESCRIBE texts;
PRINT '${prefix}TEXTS';
CREATE STREAM made AS SELECT k, STRUCT(a := i, b := s) AS st, MAP('a' := 1, 'b' := i) AS m, ARRAY[i, 2, NULL] AS arr, CAST(arr AS ARRAY<VARCHAR>) AS texts, CAST(m AS MAP<VARCHAR, BIGINT>) AS bigs, CAST(st AS STRUCT<a BIGINT, b STRUCT<c VARCHAR>>) AS st2 FROM t;
DESCRIBE made;
PRINT '${prefix}MADE';
CREATE STREAM logic AS SELECT k, CASE WHEN i > 5 THEN 'big' ELSE 'small' END AS c, CASE WHEN i = 7 THEN 'seven' END AS c2, i BETWEEN 1 AND 7 AS btw, s LIKE 'a%' AS lk, s LIKE 'a!%' ESCAPE '!' AS esc, i IN (1, 7) AS isin, i IS DISTINCT FROM 8 AS dist, NOT flag AS n, i != 7 AS ne, s IS NULL AS isnull, NULLIF(i, 7) AS ni, IFNULL(NULL, s) AS ifn, COALESCE(NULL, i) AS co FROM t;
PRINT '${prefix}LOGIC';
CREATE STREAM lambdas AS SELECT k, TRANSFORM(arr, x => x + 1) AS plus, FILTER(arr, x => x > 10) AS big, REDUCE(arr, 0, (s0, x) => s0 + x) AS total, TRANSFORM(m, (key, v) => UCASE(key), (key, v) => v + i) AS tm, FILTER(m, (key, v) => v > 1) AS fm, REDUCE(m, 0, (s0, key, v) => s0 + v) AS rm, TRANSFORM(arr, x => TRANSFORM(arr, y => x + y)) AS nested, TRANSFORM(arr, x => arr[1]) AS firsts FROM t;
PRINT '${prefix}LAMBDAS';
CREATE STREAM keyed WITH (KEY_FORMAT = 'JSON') AS SELECT * FROM t PARTITION BY arr[2], s + 'x';
PRINT '${prefix}KEYED';
CREATE STREAM filtered AS SELECT k, i FROM t WHERE arr[1] = 10 AND i / 2 = 3 AND SUBSTRING(s, 1, 1) = 'a' AND CAST(s AS INT) IS NULL;
PRINT '${prefix}FILTERED';
CREATE STREAM named AS SELECT k, arr[1], m['x'], i + 1, UCASE(s), st->a FROM t;
DESCRIBE named;
-- Spark's own statements keep Spark's ways.
SELECT arr[1], i / 2, substring(s, 1, 1), split('a.b', '[.]') FROM t;
