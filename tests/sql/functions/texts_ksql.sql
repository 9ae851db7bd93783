-- Texts of collections, and NULLIF of MAPs.
-- spark: 4.1 4.2
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (C[ST]AS|INSERTQUERY)_?[A-Z0-9_]*_\d+ => ${query}
-- replace: (?:(?<=\b0 \| \d \| )|(?<=\b0 \| \d\d \| ))\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${now}
CREATE STREAM s (k INT KEY, b BYTES, ts TIMESTAMP, ti TIME, m MAP<STRING, INT>)
  WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1, 'AQI=', '2021-01-01T00:00:00.123', '10:11:12.345', MAP('a' := 1));
INSERT INTO s VALUES (2, 'AQI=', '2021-01-01T00:00:00.000', '10:11', MAP('a' := 2));
INSERT INTO s VALUES (3, NULL, NULL, NULL, NULL);
-- Times are those of Java in a collection; BYTES are base64, so that the text is the same in each run.
CREATE STREAM texts AS
  SELECT k, CAST(ARRAY[b] AS STRING) AS b, CAST(STRUCT(b := b, ts := ts) AS STRING) AS st, CAST(ARRAY[ts] AS STRING) AS ts,
    CAST(ts AS STRING) AS t, CAST(ARRAY[ti] AS STRING) AS ti, CAST(ARRAY[MAP('foo' := 1, 'bar' := 2)] AS STRING) AS m
  FROM s;
PRINT '${prefix}TEXTS';
CREATE STREAM others AS SELECT k, NULLIF(m, MAP('a' := 1)) AS m, NULLIF(k, 2) AS n, NULLIF(m, m) AS no FROM s;
PRINT '${prefix}OTHERS';
CREATE STREAM bad AS SELECT k, NULLIF(m) AS m FROM s;
-- A TIME has milliseconds, and so has a parsed TIMESTAMP.
CREATE STREAM times AS
  SELECT k, FORMAT_TIME(PARSE_TIME('10:00:00.123456', 'HH:mm:ss.SSSSSS'), 'HH:mm:ss.SSSSSS') AS a,
    PARSE_TIME('10:00:00.123456', 'HH:mm:ss.SSSSSS') = CAST('10:00:00.123' AS TIME) AS b,
    CAST('10:00:00.123456' AS TIME) = CAST('10:00:00.123' AS TIME) AS c,
    FORMAT_TIMESTAMP(PARSE_TIMESTAMP('2021-01-01 00:00:00.123456', 'yyyy-MM-dd HH:mm:ss.SSSSSS'), 'SSSSSS') AS d,
    PARSE_TIMESTAMP('2021-01-01 00:00:00.123456', 'yyyy-MM-dd HH:mm:ss.SSSSSS') AS e
  FROM s WHERE k = 1;
PRINT '${prefix}TIMES';
-- Without the dialect, times within collections are as outside of them.
SET spark.kafkalyst.dialect = spark;
CREATE STREAM of_spark WITH (KAFKA_TOPIC = '${prefix}of_spark', VALUE_FORMAT = 'JSON') AS
  SELECT K, CAST(ARRAY[B] AS STRING) AS b, CAST(ARRAY[TS] AS STRING) AS ts, CAST(ARRAY[TI] AS STRING) AS ti, CAST('1d' AS DOUBLE) AS n FROM s;
SELECT * FROM of_spark;
