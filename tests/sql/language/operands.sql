-- What operators take in ksqlDB's dialect: no arithmetic on dates and times, keys of a MAP's type.
-- spark: 4.1 4.2
-- conf: spark.kafkalyst.dialect=ksqldb
CREATE STREAM t (k INT KEY, a ARRAY<INT>, m MAP<STRING, INT>, ts TIMESTAMP, dt DATE, ti TIME, b BOOLEAN) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
SELECT ts - ts FROM t EMIT CHANGES LIMIT 1;
SELECT dt + 1 FROM t EMIT CHANGES LIMIT 1;
SELECT b + b FROM t EMIT CHANGES LIMIT 1;
SELECT a * 2 FROM t EMIT CHANGES LIMIT 1;
SELECT ti < ts FROM t EMIT CHANGES LIMIT 1;
SELECT m[1] FROM t EMIT CHANGES LIMIT 1;
