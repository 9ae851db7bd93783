-- Errors of the first hour: logins, names with -, formats that are others.
-- topic: ${prefix}s partitions=1
-- topic: ${prefix}-x partitions=1
-- record: ${prefix}s key=a {"a":1}
-- record: ${prefix}s key=b {bad
-- topic: ${prefix}v partitions=1
-- avro: ${prefix}v {"type": "record", "name": "V", "fields": [{"name": "a", "type": "int"}]}
-- record: ${prefix}v {"a": 1}
-- replace: schema id \d+ => schema id n
-- replace: begins with 00.* => begins with 00 …
-- replace: one of \(case insensitive\): .*\. => one of …
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${time}
-- replace: /\S*/checkpoints => ${checkpoints}
CREATE STREAM s (a INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM o (a INT) WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
SELECT * FROM s;
SELECT * FROM s WITH ('on_error' = 'skip');
-- Records of another format: DESCRIBE TOPIC shows it, as the error says.
CREATE STREAM v (a INT) WITH (KAFKA_TOPIC = '${prefix}v', VALUE_FORMAT = 'JSON');
SELECT * FROM v;
DESCRIBE TOPIC '${prefix}v';
-- No client can be made.
SET spark.kafkalyst.kafka.security.protocol=SASL_PLAIN;
PRINT '${prefix}s' LIMIT 1;
SET spark.kafkalyst.kafka.security.protocol=SASL_PLAINTEXT;
PRINT '${prefix}s' LIMIT 1;
SET spark.kafkalyst.kafka.sasl.username=me;
PRINT '${prefix}s' LIMIT 1;
RESET spark.kafkalyst.kafka.sasl.username;
SET spark.kafkalyst.kafka.sasl.mechanism=PLAIN;
SET spark.kafkalyst.kafka.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="never-shown";
PRINT '${prefix}s' LIMIT 1;
RESET spark.kafkalyst.kafka.sasl.jaas.config;
SET spark.kafkalyst.kafka.sasl.mechanisms=PLAIN;
PRINT '${prefix}s' LIMIT 1;
RESET spark.kafkalyst.kafka.sasl.mechanisms;
RESET spark.kafkalyst.kafka.sasl.mechanism;
RESET spark.kafkalyst.kafka.security.protocol;
SET spark.kafkalyst.kafka.max.partition.fetch.byte=1;
SELECT a FROM s WITH ('on_error' = 'skip');
-- A class of the user's own may have any property.
SET spark.kafkalyst.kafka.metric.reporters=org.apache.kafka.common.metrics.JmxReporter;
SELECT a FROM s WITH ('on_error' = 'skip');
RESET spark.kafkalyst.kafka.metric.reporters;
RESET spark.kafkalyst.kafka.max.partition.fetch.byte;
SET spark.kafkalyst.kafka.of.my.handler=1;
SELECT a FROM s WITH ('on_error' = 'skip');
RESET spark.kafkalyst.kafka.of.my.handler;
-- Options of Spark's own source, and Flink's name of the topic.
CREATE TEMPORARY VIEW elsewhere USING kafkalyst OPTIONS ('kafka.bootstrap.servers' 'elsewhere:9092', topic '${prefix}other');
CREATE STREAM x (a INT) WITH (topic = '${prefix}s', VALUE_FORMAT = 'JSON');
-- Names with -.
PRINT ${prefix}-x;
DESCRIBE TOPIC ${prefix}-x;
TERMINATE daily-orders;
PRINT kafka.shop.daily-orders;
DESCRIBE TOPIC `${prefix}-x`;
-- A sink's name that is nearly right.
CREATE STREAM orders (a INT) WITH (KAFKA_TOPIC = '${prefix}orders', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO order SELECT a FROM s EMIT CHANGES;
-- All queries that must end are said.
SET spark.kafkalyst.query.trigger=continuous;
ALTER STREAM s SET ('on_error' = 'skip');
INSERT INTO o WITH (QUERY_ID = 'daily-1') SELECT a FROM s EMIT CHANGES;
INSERT INTO o WITH (QUERY_ID = 'daily_2') SELECT a FROM s WHERE a > 1 EMIT CHANGES;
DROP STREAM s;
TERMINATE `daily-1`; TERMINATE DAILY_2;
DROP STREAM s;
