-- PARTITIONED BY: Flink's Kafka connector reads such a table and refuses to write it.
-- topic: ${prefix}t partitions=1
-- record: ${prefix}t {"id":1,"n":"a"}
CREATE TABLE parts (id INT, n STRING, t STRING METADATA FROM 'topic' VIRTUAL) COMMENT 'of two' PARTITIONED BY (n, `id`) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
SELECT id, n FROM parts;
INSERT INTO parts VALUES (1, 'x');
ALTER TABLE parts ADD x INT;
SHOW CREATE TABLE parts AS FLINK;
CREATE TABLE same LIKE parts;
INSERT INTO same VALUES (1, 'x', 2);
CREATE TABLE whole LIKE parts (EXCLUDING PARTITIONS);
INSERT INTO whole VALUES (2, 'b', 3);
SELECT id, n FROM parts;
CREATE TABLE x PARTITIONED BY (id) LIKE parts;
CREATE TABLE other PARTITIONED BY (id) WITH ('scan.startup.mode' = 'earliest-offset') LIKE parts (EXCLUDING PARTITIONS);
SHOW CREATE TABLE other AS FLINK;
CREATE TABLE x (id INT) PARTITIONED BY (nope) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (id INT, t STRING METADATA FROM 'topic' VIRTUAL) PARTITIONED BY (t) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x PARTITIONED BY (n) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json') AS SELECT 1 AS n;
CREATE STREAM x (id INT) PARTITIONED BY (id) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
-- Nor are events with their schema written.
CREATE TABLE events (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'debezium-json', 'debezium-json.schema-include' = 'true');
INSERT INTO events VALUES (1, 'x');
SHOW CREATE TABLE events AS FLINK;
CREATE TABLE x (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'debezium-json', 'debezium-json.schema-include' = 'yes');
CREATE TABLE x (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'canal-json', 'canal-json.map-null-key.mode' = 'NOPE');
