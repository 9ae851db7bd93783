-- Milliseconds of the day as INT, on every Spark.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
CREATE STREAM t (k INT KEY, ms INT, text STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t VALUES (1, 36672123, '10.11'), (2, 86400000, '25.00'), (3, NULL, NULL);
CREATE STREAM shown AS SELECT k, FORMAT_TIME(ms, 'HH:mm:ss.SSS') AS shown, TIMEADD(HOURS, 14, ms) AS later, TIMESUB(SECONDS, 40000, ms) AS earlier,
  FORMAT_TIME(PARSE_TIME(text, 'HH.mm'), 'HH:mm') AS again FROM t;
SELECT * FROM shown;
