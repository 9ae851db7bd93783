-- A topic is deleted only if no other declared object is over it: in any catalog of its cluster, or beside other topics.
-- topic: ${prefix}a partitions=1
-- topic: ${prefix}b partitions=1
CREATE STREAM one (v INT) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'JSON');
CREATE TABLE several (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a;${prefix}b', 'format' = 'json');
DROP STREAM one DELETE TOPIC;
DROP TABLE several;
CREATE STREAM kafka.${prefix}second (v INT) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'JSON');
DROP STREAM one DELETE TOPIC;
DROP STREAM kafka.${prefix}second;
DROP STREAM one DELETE TOPIC;
SHOW TOPICS LIKE '${prefix}%';
