-- The unit of AVRO's timestamps: milliseconds in ksqlDB's dialect, else microseconds, by property or setting either.
-- schema: own ${prefix}own {"type":"record","name":"R","fields":[{"name":"t","type":{"type":"long","logicalType":"timestamp-millis"}}]}
CREATE STREAM micros (t TIMESTAMP) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO micros VALUES (TIMESTAMP '1970-01-01 00:00:01.5');
SET spark.kafkalyst.avro.timestamp.unit = millis;
CREATE STREAM millis (t TIMESTAMP) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO millis VALUES (TIMESTAMP '1970-01-01 00:00:01.5');
RESET spark.kafkalyst.avro.timestamp.unit;
SET spark.kafkalyst.dialect = ksqldb;
CREATE STREAM ksql (t TIMESTAMP) WITH (KAFKA_TOPIC = '${prefix}c', VALUE_FORMAT = 'AVRO', KEY_FORMAT = 'NONE', PARTITIONS = 1);
INSERT INTO ksql VALUES ('1970-01-01T00:00:01.5');
SET spark.kafkalyst.avro.timestamp.unit = micros;
CREATE STREAM finer (t TIMESTAMP) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'AVRO', KEY_FORMAT = 'NONE', PARTITIONS = 1);
INSERT INTO finer VALUES ('1970-01-01T00:00:01.5');
RESET spark.kafkalyst.avro.timestamp.unit;
RESET spark.kafkalyst.dialect;
CREATE STREAM raw_a (v BINARY) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'KAFKA');
CREATE STREAM raw_b (v BINARY) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'KAFKA');
CREATE STREAM raw_c (v BINARY) WITH (KAFKA_TOPIC = '${prefix}c', VALUE_FORMAT = 'KAFKA');
CREATE STREAM raw_d (v BINARY) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'KAFKA');
SELECT hex(substr(v, 6)) AS body FROM raw_a;
SELECT hex(substr(v, 6)) AS body FROM raw_b;
SELECT hex(substr(v, 6)) AS body FROM raw_c;
SELECT hex(substr(v, 6)) AS body FROM raw_d;
SELECT * FROM micros UNION ALL SELECT * FROM millis UNION ALL SELECT * FROM finer;
