-- What ksqlDB does at the edges of its operators and functions.
-- spark: 4.1 4.2
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.on.error=skip
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (C[ST]AS|INSERTQUERY)_?[A-Z0-9_]*_\d+ => ${query}
-- replace: 202\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${now}
CREATE STREAM m (id INT KEY, a DECIMAL(4, 2), b DECIMAL(3, 2), t STRING, m MAP<STRING, INT>, c TIME)
  WITH (KAFKA_TOPIC = '${prefix}m', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO m VALUES (1, 10.00, 3.00, '2020-01', MAP('foo' := 1, 'bar' := 2), '10:11:12.345');
INSERT INTO m VALUES (2, 10.00, 4.00, '2020-05-26T23', MAP('one' := 1, 'two' := NULL, 'three' := 3), '10:11');
INSERT INTO m VALUES (3, 0.00, 1.00, '2020-05-26T10:11:12.123+0200', MAP('apple' := 1, 'banana' := 2, 'cherry' := 3), NULL);
INSERT INTO m VALUES (4, 1.00, 8.00, '2020-05-26 10:11', NULL, NULL);
INSERT INTO m VALUES (5, 1.00, 8.00, '2020-1-1', NULL, NULL);

-- A quotient that its digits cannot hold is NULL.
CREATE STREAM quotients AS SELECT id, a / b AS q, a / 2 AS h, CAST(a / 100000 AS STRING) AS s FROM m;
PRINT '${prefix}QUOTIENTS';

CREATE STREAM times AS SELECT id, CAST(t AS DATE) AS d, CAST(t AS TIMESTAMP) AS ts, CAST(c AS STRING) AS c FROM m;
PRINT '${prefix}TIMES';

-- Entries are in the order of Java's HashMap.
CREATE STREAM maps AS
  SELECT id, MAP_KEYS(m) AS k, MAP_VALUES(m) AS v, ENTRIES(m, false) AS e, ENTRIES(m, true) AS o, CAST(m AS STRING) AS s,
    REDUCE(m, '', (s, k, v) => s + k) AS r, FILTER(m, (k, v) => k = 'two' OR k = 'foo') AS f
  FROM m;
PRINT '${prefix}MAPS';

CREATE STREAM functions AS
  SELECT id, ROUND(id) AS r, TRUNC(id) AS t, TO_JSON_STRING(STRUCT(b := 1, a := MAP('y' := 2, 'x' := 1))) AS j,
    AS_MAP(ARRAY['p', 'q'], ARRAY[1]) AS l, JSON_ARRAY_CONTAINS('[1, 2.0]', 1E0) AS i, JSON_ARRAY_CONTAINS('[1, 2.0]', 2E0) AS f,
    JSON_ARRAY_CONTAINS('[1.0]', 1.0) AS d, ENCODE('ab', 'utf8', 'UTF8') AS same, ENCODE('0x9', 'hex', 'ascii') AS tab,
    MASK('Ab1-', 'xx') AS mask, STRINGTODATE('2020-01', 'yyyy-MM') AS part, STRINGTODATE('2020-01-02', 'yyyy-MM-dd') AS whole,
    FORMAT_TIMESTAMP(FROM_UNIXTIME(0), 'HH z VV X') AS zone
  FROM m WHERE id = 1;
PRINT '${prefix}FUNCTIONS';
DESCRIBE functions;

CREATE TABLE correlations AS SELECT t, CORRELATION(id, id) AS c FROM m WHERE id = 1 GROUP BY t;
PRINT '${prefix}CORRELATIONS';

CREATE STREAM cases AS SELECT id, CASE WHEN id = 1 THEN 1.0 ELSE 10.50 END AS c FROM m;
CREATE STREAM cases AS SELECT id, CASE WHEN id = 1 THEN CAST('2020-01-01' AS DATE) ELSE CAST(t AS TIMESTAMP) END AS c FROM m;
CREATE STREAM cases AS SELECT id, CASE WHEN id = 1 THEN 1.5 WHEN id = 2 THEN NULL ELSE 2.5 END AS c FROM m;
PRINT '${prefix}CASES';
