-- INSERT … VALUES takes units in the plural, and times by their functions.
-- spark: 4.1 4.2
-- conf: spark.kafkalyst.dialect=ksqldb
CREATE STREAM s (k INT KEY, ti TIME) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1, TIMEADD(HOURS, 14, PARSE_TIME('10', 'HH')));
SELECT k, ti FROM s;
