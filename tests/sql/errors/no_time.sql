-- A type that this version of Spark lacks.
-- spark: 4.0
CREATE STREAM s (a INT, t TIME) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM s (a INT, t TIMES) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
