-- Texts of times whose pattern leaves out parts of it. In ksqlDB each part of the text is set on the start of 1970.
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (C[ST]AS|INSERTQUERY)_?[A-Z0-9_]*_\d+ => ${query}
-- replace: (?:(?<=\b0 \| \d \| )|(?<=\b0 \| \d\d \| ))\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${now}
CREATE STREAM s (k INT KEY, t STRING, p STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1, '2021-01-01 03:30:15', 'yyyy-MM-dd hh:mm:ss');
INSERT INTO s VALUES (2, '2021-01-01 12:15', 'yyyy-MM-dd hh:mm');
INSERT INTO s VALUES (3, '2021-01-01 12:15 AM', 'yyyy-MM-dd hh:mm a');
INSERT INTO s VALUES (4, '30:15', 'mm:ss');
INSERT INTO s VALUES (5, '045', 'DDD');
INSERT INTO s VALUES (6, '366 2020', 'DDD yyyy');
INSERT INTO s VALUES (7, '366', 'DDD');
INSERT INTO s VALUES (8, '02-29', 'MM-dd');
INSERT INTO s VALUES (9, '2021-07-01 03+02:00', 'yyyy-MM-dd KKXXX');
INSERT INTO s VALUES (10, '2021-07-01 03:04:05.123456', 'yyyy-MM-dd HH:mm:ss.SSSSSS');
INSERT INTO s VALUES (11, '2021-03-28 02:30 Europe/Berlin', 'yyyy-MM-dd HH:mm VV');
INSERT INTO s VALUES (12, 'x', 'yyyy');
CREATE STREAM parsed AS
  SELECT k, STRINGTOTIMESTAMP(t, p) AS ms, FORMAT_TIMESTAMP(PARSE_TIMESTAMP(t, p), 'yyyy-MM-dd HH:mm:ss.SSSSSS') AS text,
    FORMAT_TIMESTAMP(PARSE_TIMESTAMP(t, p, 'Asia/Tokyo'), 'yyyy-MM-dd HH:mm') AS tokyo
  FROM s;
PRINT '${prefix}PARSED' LIMIT 20;

-- The same holds for the time of rows.
CREATE STREAM hours (k INT KEY, t STRING)
  WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', TIMESTAMP = 't', TIMESTAMP_FORMAT = 'yyyy-MM-dd hh:mm[:ss]', ON_ERROR = 'skip');
SELECT k, t, timestamp_millis(ROWTIME) AS at FROM hours;
CREATE TABLE per_hour AS SELECT k, COUNT(*) AS n FROM hours WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY k;
SELECT k, timestamp_millis(WINDOWSTART) AS at, n FROM per_hour;

-- Without the dialect, part of a time of day is no time.
SET spark.kafkalyst.dialect = spark;
CREATE STREAM of_spark WITH (KAFKA_TOPIC = '${prefix}of_spark', VALUE_FORMAT = 'JSON') AS
  SELECT K, STRINGTOTIMESTAMP(T, P) AS ms, PARSE_TIMESTAMP(T, P) AS ts FROM s;
SELECT ms, ts FROM of_spark;
CREATE STREAM spark_hours (t STRING)
  WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', TIMESTAMP = 't', TIMESTAMP_FORMAT = 'yyyy-MM-dd hh:mm[:ss]');
SELECT t, ROWTIME FROM spark_hours;
CREATE STREAM whole_hours (t STRING)
  WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', TIMESTAMP = 't', TIMESTAMP_FORMAT = 'yyyy-MM-dd hh:mm a', ON_ERROR = 'skip');
SELECT t, timestamp_millis(ROWTIME) AS at FROM whole_hours;
