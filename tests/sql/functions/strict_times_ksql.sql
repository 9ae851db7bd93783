-- ksqlDB's functions of times take no INT where Spark has TIME.
-- spark: 4.1 4.2
-- conf: spark.kafkalyst.dialect=ksqldb
CREATE STREAM s (k INT KEY, ti TIME) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM bad WITH (KAFKA_TOPIC = '${prefix}bad') AS SELECT k, FORMAT_TIME(k, 'HH') AS x FROM s;
CREATE STREAM bad WITH (KAFKA_TOPIC = '${prefix}bad') AS SELECT k, TIMEADD(HOURS, 1, k) AS x FROM s;
INSERT INTO s VALUES (1, TIMEADD(HOURS, 14, PARSE_TIME('10', 'HH')));
SELECT k, ti FROM s;
