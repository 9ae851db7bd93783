-- Rows written as events: Flink's form of each.
-- replace: 20(?!24)\d\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${time}
-- topic: ${prefix}from
-- record: ${prefix}from {"before":null,"after":{"id":1,"n":"a"},"op":"c"}
-- record: ${prefix}from {"before":{"id":1,"n":"a"},"after":{"id":1,"n":"b"},"op":"u"}
-- record: ${prefix}from {"before":{"id":1,"n":"b"},"after":null,"op":"d"}
CREATE TABLE source (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}from', 'format' = 'debezium-json');
CREATE STREAM debezium (id INT, n STRING) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'DEBEZIUM_JSON', PARTITIONS = 1);
INSERT INTO debezium VALUES (1, 'it''s "a"'), (2, NULL);
INSERT INTO debezium SELECT * FROM source;
INSERT INTO debezium (id, n, _tombstone) VALUES (2, NULL, true);
PRINT '${prefix}d' FROM BEGINNING;
SELECT _op, * FROM debezium ORDER BY ROWOFFSET;
CREATE STREAM canal (id INT, at TIMESTAMP, d DECIMAL(4, 2)) WITH (KAFKA_TOPIC = '${prefix}c', VALUE_FORMAT = 'CANAL_JSON', PARTITIONS = 1);
INSERT INTO canal VALUES (1, TIMESTAMP '2024-05-06 07:08:09Z', 1.50);
INSERT INTO canal (id, _tombstone) VALUES (1, true);
PRINT '${prefix}c' FROM BEGINNING;
SELECT _op, * FROM canal ORDER BY ROWOFFSET;
CREATE STREAM maxwell (id INT) WITH (KAFKA_TOPIC = '${prefix}m', VALUE_FORMAT = 'MAXWELL_JSON', PARTITIONS = 1);
INSERT INTO maxwell VALUES (1);
INSERT INTO maxwell (id, _tombstone) VALUES (1, true);
PRINT '${prefix}m' FROM BEGINNING;
SELECT _op, * FROM maxwell ORDER BY ROWOFFSET;
CREATE STREAM ogg (id INT) WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'OGG_JSON', PARTITIONS = 1);
INSERT INTO ogg VALUES (1);
INSERT INTO ogg (id, _tombstone) VALUES (1, true);
PRINT '${prefix}o' FROM BEGINNING;
SELECT _op, * FROM ogg ORDER BY ROWOFFSET;
CREATE TABLE latest (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'format' = 'debezium-json');
INSERT INTO latest VALUES (7, 'seven'), (8, 'eight');
DELETE FROM latest WHERE id = 7;
SELECT * FROM latest;
PRINT '${prefix}d';
CREATE STREAM bin (id INT, n STRING, at TIMESTAMP) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'DEBEZIUM_AVRO', PARTITIONS = 1);
INSERT INTO bin VALUES (1, 'a', TIMESTAMP '2024-05-06 07:08:09Z'), (2, NULL, NULL);
INSERT INTO bin (id, n, at, _tombstone) VALUES (2, NULL, NULL, true);
SELECT _op, * FROM bin ORDER BY ROWOFFSET;
CREATE TABLE bins (id INT, n STRING, at TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = '${prefix}bins', 'PARTITIONS' = '1', 'format' = 'debezium-avro-confluent', 'debezium-avro-confluent.subject' = '${prefix}own');
INSERT INTO bins VALUES (7, 'seven', TIMESTAMP_NTZ '2024-05-06 07:08:09.123'), (8, NULL, NULL);
INSERT INTO bins (id, n, at, _tombstone) VALUES (7, NULL, NULL, true);
SELECT * FROM bins;
SHOW CREATE TABLE bins AS FLINK;
CREATE TABLE times (id INT, at TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = '${prefix}ti', 'PARTITIONS' = '1', 'format' = 'canal-json');
INSERT INTO times VALUES (1, TIMESTAMP_NTZ '2024-05-06 07:08:09.5');
PRINT '${prefix}ti' FROM BEGINNING;
SELECT * FROM times;
SHOW CREATE TABLE times AS FLINK;
SHOW CREATE STREAM canal AS FLINK;
