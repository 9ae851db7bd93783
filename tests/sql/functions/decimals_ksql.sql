-- DECIMALs as in ksqlDB: the digits of literals, of results and of other numbers beside them.
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (C[ST]AS|INSERTQUERY)_?[A-Z0-9_]*_\d+ => ${query}
-- replace: 202\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${now}
CREATE STREAM s (k INT KEY, v INT, d DOUBLE, c DECIMAL(5, 2))
  WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1, 1, 1.005E0, 2.25);
INSERT INTO s VALUES (1, 3, 2.675E0, '-0.50');
INSERT INTO s VALUES (1, 5, 0.1E0, '3');
-- Digits would be lost.
INSERT INTO s VALUES (2, 1, 0E0, '2.255');
INSERT INTO s VALUES (2, 1, 0E0, '1000');
INSERT INTO s VALUES (2, 1, 0E0, 'x');
INSERT INTO s VALUES (2, 1, 0E0, 2.25E0);
INSERT INTO s VALUES (2, 1, 0E0, 2.255);

-- A literal has a digit before its point.
CREATE STREAM literals AS
  SELECT k, 0.5 AS a, -0.05 AS b, 0.0 AS c, 1.50 AS d, v * 0.5 AS e, c * 2 AS f, c + v AS g, ARRAY[1.0, '0.5', 0.25] AS h
  FROM s WHERE v = 3 OR c < 0.0;
DESCRIBE literals;
PRINT '${prefix}LITERALS';
CREATE TABLE sums AS
  SELECT k, SUM(0.5) AS half, SUM(CASE WHEN v > 2 THEN 1.0 ELSE 0.0 END) AS many, SUM(CASE WHEN v > 2 THEN 0.5 ELSE 0.0 END) AS few
  FROM s GROUP BY k;
SELECT k, half, many, few FROM sums;

-- A DOUBLE's exact value is rounded, first to the type's digits.
CREATE STREAM doubles AS
  SELECT k, CAST(d AS DECIMAL(18, 2)) AS a, CAST(d AS DECIMAL(4, 2)) AS b, CAST(d AS DECIMAL(20, 18)) AS c,
    CAST(d AS DECIMAL(1, 1)) AS d, CAST(ARRAY[d] AS ARRAY<DECIMAL(18, 2)>) AS e, CAST(LN(0E0) AS DECIMAL(4, 2)) AS f
  FROM s;
PRINT '${prefix}DOUBLES';
CREATE STREAM of_texts AS
  SELECT k, CAST('1d' AS DOUBLE) AS a, CAST('1.5f' AS DOUBLE) AS b, CAST('inf' AS DOUBLE) AS c, CAST(' -.5e1 ' AS DOUBLE) AS d,
    CAST(CAST('Infinity' AS DOUBLE) AS STRING) AS e, CAST('0x1p3' AS DOUBLE) AS f
  FROM s WHERE v = 1;
PRINT '${prefix}OF_TEXTS';

-- More than 38 digits: a result has all of its digits, or is NULL.
CREATE STREAM w (k INT KEY, a DECIMAL(38, 18), b DECIMAL(38, 18), c DECIMAL(20, 0), d DOUBLE, e DECIMAL(38, 2), f DECIMAL(38, 30))
  WITH (KAFKA_TOPIC = '${prefix}w', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO w VALUES (1, 0.000000000000000005, 0, 9007199254740993, 9007199254740992, 0, 0.001);
INSERT INTO w VALUES (2, 1.000000000000000001, 1, 9007199254740993, 9007199254740994, 0.01, 0.01);
INSERT INTO w VALUES (3, 1, 128, 0, 0, 0, 0);
INSERT INTO w VALUES (4, 0.000000000000000001, 0.5, 1, 1, 1, -1);
INSERT INTO w VALUES (5, '99999999999999999999', 1, 1, 1, NULL, 1);
CREATE STREAM wide AS SELECT k, a + b AS sum, a - b AS difference, a * b AS product, a / b AS quotient, c * 0.5 AS half FROM w;
DESCRIBE wide;
PRINT '${prefix}WIDE';

-- Comparisons are exact.
CREATE STREAM compared AS
  SELECT k, c = d AS eq, c <> d AS ne, c < d AS lt, c <= d AS le, c > d AS gt, d >= c AS ge, e = f AS e_f, e < f AS less,
    a > 0.1E0 AS more, c = LN(-1E0) AS nan, NOT (c > LN(-1E0)) AS not_nan, c BETWEEN d AND d AS within
  FROM w;
PRINT '${prefix}COMPARED';
CREATE STREAM chosen AS SELECT k, c FROM w WHERE c > d;
PRINT '${prefix}CHOSEN';
