-- Where reading begins and ends, per table and per query; several topics.
-- replace: and the properties [^\n]* SQLSTATE => and the properties … SQLSTATE
-- topic: ${prefix}a partitions=1
-- topic: ${prefix}b partitions=1
-- record: ${prefix}a {"v":0}
-- record: ${prefix}a {"v":1}
-- record: ${prefix}a {"v":2}
-- record: ${prefix}b {"v":10}
CREATE TABLE a (v INT, `offset` BIGINT METADATA VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'json');
SELECT v FROM a WITH ('scan.startup.mode' = 'specific-offsets', 'scan.startup.specific-offsets' = 'partition:0,offset:2;');
SELECT v FROM a WITH ('scan.startup.mode' = 'specific-offsets', 'scan.startup.specific-offsets' = 'partition:0,offset:3');
SELECT v FROM a WITH ('scan.startup.mode' = 'specific-offsets', 'scan.startup.specific-offsets' = 'partition:0,offset:4');
SELECT x.v FROM a /*+ OPTIONS('scan.startup.mode'='specific-offsets', 'scan.startup.specific-offsets'='partition:0,offset:1') */ AS x WHERE x.v < 2;
SELECT v FROM a WITH ('scan.bounded.mode' = 'specific-offsets', 'scan.bounded.specific-offsets' = 'partition:0,offset:1');
SELECT v FROM a WITH ('scan.bounded.mode' = 'specific-offsets', 'scan.bounded.specific-offsets' = 'partition:0,offset:99');
SELECT v FROM a WITH ('scan.bounded.mode' = 'specific-offsets', 'scan.bounded.specific-offsets' = 'partition:7,offset:99');
SELECT v FROM a WITH ('scan.bounded.mode' = 'specific-offsets', 'scan.bounded.specific-offsets' = 'partition:0,offset:2') EMIT CHANGES;
SELECT v FROM a WITH ('scan.bounded.mode' = 'latest-offset') EMIT CHANGES;
SELECT v FROM a WITH ('scan.bounded.mode' = 'timestamp', 'scan.bounded.timestamp-millis' = '1000');
SELECT v FROM a WITH ('scan.startup.mode' = 'group-offsets', 'properties.group.id' = '${prefix}g');
SELECT v FROM a WITH ('scan.startup.mode' = 'group-offsets', 'properties.group.id' = '${prefix}g', 'properties.auto.offset.reset' = 'earliest');
SELECT v FROM a WITH ('scan.startup.mode' = 'group-offsets', 'properties.group.id' = '${prefix}g', 'properties.auto.offset.reset' = 'latest');
SELECT v FROM a WITH ('scan.bounded.mode' = 'group-offsets', 'properties.group.id' = '${prefix}g');
SELECT v FROM a WITH ('scan.startup.mode' = 'group-offsets');
SELECT v FROM a WITH ('scan.startup.mode' = 'latest');
SELECT v FROM a WITH ('scan.startup.mode' = 'timestamp');
SELECT v FROM a WITH ('scan.bounded.mode' = 'specific-offsets');
SELECT v FROM a WITH ('scan.startup.mod' = 'timestamp');
SELECT v FROM a WITH ('topic' = '${prefix}b');
SELECT v FROM a WITH ('properties.max.poll.records' = '1');
SELECT v FROM a WITH ('properties.bootstrap.servers' = 'elsewhere:1');
SELECT v FROM a WITH ('properties.sasl.jaas.config' = 'secret');
CREATE TABLE several (v INT, topic STRING METADATA) WITH ('connector' = 'kafka', 'topic' = '${prefix}a; ${prefix}b', 'format' = 'json');
SELECT * FROM several;
SELECT * FROM several WHERE ROWOFFSET = 0;
INSERT INTO several VALUES (11, '${prefix}b');
INSERT INTO several VALUES (12, 'other');
INSERT INTO several (v) VALUES (13);
SELECT * FROM several WHERE v > 9 EMIT CHANGES;
CREATE TABLE pattern (v INT, topic STRING METADATA) WITH ('connector' = 'kafka', 'topic-pattern' = '${prefix}[bc]', 'format' = 'json');
SELECT * FROM pattern;
SELECT v FROM pattern EMIT CHANGES;
INSERT INTO pattern VALUES (14, '${prefix}b');
INSERT INTO pattern VALUES (15, '${prefix}a');
DESCRIBE EXTENDED several;
SHOW CREATE TABLE several AS FLINK;
SHOW CREATE TABLE pattern AS FLINK;
SHOW CREATE TABLE pattern AS KSQLDB;
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'topic-pattern' = 'b', 'format' = 'json');
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a');
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic-pattern' = '[', 'format' = 'json');
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a;${prefix}b', 'format' = 'json', 'scan.startup.mode' = 'specific-offsets', 'scan.startup.specific-offsets' = 'partition:0,offset:1');
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'json', 'scan.bounded.mode' = 'tomorrow');
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'json', 'scan.topic-partition-discovery.interval' = '5 MIN', 'scan.parallelism' = '2', 'properties.client.id' = 'me', 'properties.key.deserializer' = 'any');
SELECT * FROM x;
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'json', 'properties.request.timeout.ms' = 'soon');
SELECT v FROM a WITH ('properties.max.poll.records' = '99999999999');
CREATE TABLE x (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'json', 'scan.parallelism' = 'two');
CREATE TABLE sunk (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'json', 'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'x', 'properties.transaction.timeout.ms' = '60000');
INSERT INTO sunk VALUES (20);
CREATE TABLE unsure (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'json', 'sink.delivery-guarantee' = 'none');
INSERT INTO unsure VALUES (21);
ALTER TABLE unsure SET ('sink.delivery-guarantee' = 'NONE');
SHOW CREATE TABLE unsure AS FLINK;
CREATE TABLE unsure_too (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'json', 'sink.semantic' = 'None');
SELECT * FROM unsure WHERE v > 19;
-- Options without effect are what Flink takes.
CREATE TABLE y (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'json', 'scan.topic-partition-discovery.interval' = 'often');
CREATE TABLE y (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'json', 'scan.watermark.emit.strategy' = 'never');
CREATE TABLE y (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'json', 'sink.transaction-naming-strategy' = 'random');
