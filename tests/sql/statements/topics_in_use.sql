-- A topic is deleted only if no other declared object is over it, in any catalog of its cluster, beside other topics, by a
-- pattern or in the session alone, or has its dead letters there, and no query reads it by another name.
-- conf: spark.kafkalyst.query.trigger=continuous
-- replace: C[ST]AS_[A-Z]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- topic: ${prefix}a partitions=1
-- topic: ${prefix}b partitions=1
-- topic: ${prefix}raw partitions=1
CREATE STREAM one (v INT) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'JSON');
CREATE TABLE several (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a;${prefix}b', 'format' = 'json');
DROP STREAM one DELETE TOPIC;
DROP TABLE several;
CREATE TABLE matching (v INT) WITH ('connector' = 'kafka', 'topic-pattern' = '${prefix}[ab]', 'format' = 'json');
DROP STREAM one DELETE TOPIC;
DROP TABLE matching;
CREATE TABLE matching (v INT) WITH ('connector' = 'kafka', 'topic-pattern' = '${prefix}', 'format' = 'json');
CREATE TEMPORARY TABLE mine (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'json');
DROP STREAM one DELETE TOPIC;
DROP TEMPORARY TABLE mine;
CREATE STREAM kafka.${prefix}second (v INT) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'JSON');
DROP STREAM one DELETE TOPIC;
DROP STREAM kafka.${prefix}second;
DROP STREAM one DELETE TOPIC;
CREATE STREAM three (v INT) WITH (KAFKA_TOPIC = '${prefix}raw', VALUE_FORMAT = 'JSON');
CREATE STREAM copy WITH (KAFKA_TOPIC = '${prefix}copy', VALUE_FORMAT = 'KAFKA', PARTITIONS = 1) AS SELECT ROWVAL AS v FROM kafka.${prefix}raw EMIT CHANGES;
DROP STREAM three DELETE TOPIC;
DROP STREAM copy DELETE TOPIC;
DROP STREAM three DELETE TOPIC;
CREATE STREAM strict (v INT) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'JSON', ON_ERROR = 'dead-letter');
CREATE STREAM letters (v STRING) WITH (KAFKA_TOPIC = '${prefix}b-dlq', VALUE_FORMAT = 'KAFKA');
DROP STREAM letters DELETE TOPIC;
DROP STREAM strict;
DROP STREAM letters DELETE TOPIC;
SHOW TOPICS LIKE '${prefix}%';
