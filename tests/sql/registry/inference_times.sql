-- Times of the day in schemas of the registry are TIME in ksqlDB's dialect, and numbers or structs without it.
-- spark: 4.1 4.2
-- conf: spark.kafkalyst.dialect=ksqldb
-- schema: av ${prefix}a-value {"type":"record","name":"R","fields":[{"name":"t","type":{"type":"int","logicalType":"time-millis"}},{"name":"n","type":["null",{"type":"int","logicalType":"time-millis"}]}]}
-- schema: pv ${prefix}p-value PROTOBUF syntax = "proto3"; import "google/type/timeofday.proto"; message M { google.type.TimeOfDay t = 1; int32 n = 2; }
-- schema: jv ${prefix}j-value JSON {"type":"object","properties":{"t":{"type":"integer","title":"org.apache.kafka.connect.data.Time","connect.type":"int32"},"n":{"type":"integer","connect.type":"int32"}}}
-- topic: ${prefix}a partitions=1
-- topic: ${prefix}p partitions=1
-- topic: ${prefix}j partitions=1
CREATE STREAM a WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO');
DESCRIBE a;
INSERT INTO a VALUES ('10:11:12.345', NULL);
SELECT t, TIMEADD(HOURS, 1, t), n FROM a EMIT CHANGES LIMIT 1;
CREATE STREAM p WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF');
DESCRIBE p;
INSERT INTO p VALUES ('10:11:12.345', 1);
SELECT * FROM p;
CREATE STREAM j WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON_SR');
DESCRIBE j;
INSERT INTO j VALUES ('10:11:12.345', 1);
SELECT * FROM j;
SET spark.kafkalyst.dialect = spark;
CREATE STREAM s WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO');
SELECT * FROM s;
CREATE STREAM q WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON_SR');
SELECT * FROM q;
