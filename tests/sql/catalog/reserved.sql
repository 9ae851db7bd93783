-- The topics of definitions, and Kafka's own are read, but no statement writes, makes or deletes them.
-- conf: spark.sql.catalog.held=io.kafkalyst.KafkaCatalog
-- conf: spark.sql.catalog.held.catalog.topic=${prefix}definitions
-- conf: spark.sql.catalog.later=io.kafkalyst.KafkaCatalog
-- conf: spark.sql.catalog.later.catalog.topic=${prefix}later
-- topic: ${prefix}t
CREATE STREAM held.`${prefix}t` (v STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
SELECT count(*) > 0 AS has_records FROM held.`${prefix}definitions`;
INSERT INTO held.`${prefix}definitions` VALUES (X'01', X'02');
CREATE STREAM around (k BYTES KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}definitions', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'KAFKA');
INSERT INTO around VALUES (X'01', 'x');
DELETE FROM around WHERE k = X'01';
INSERT INTO around SELECT CAST('a' AS BINARY) AS k, v FROM held.`${prefix}t` PARTITION BY CAST('a' AS BINARY) EMIT CHANGES;
-- By a column that names the topic.
CREATE STREAM named (v STRING, to STRING METADATA FROM 'topic') WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON',
  'sink.topics.allowed' = '${prefix}definitions');
INSERT INTO named VALUES ('x', '${prefix}definitions');
CREATE TABLE flink (v STRING, `to` STRING METADATA FROM 'topic') WITH ('connector' = 'kafka', 'topic-pattern' = '${prefix}.*', 'format' = 'json');
INSERT INTO flink VALUES ('x', '${prefix}definitions');
INSERT INTO flink VALUES ('x', '${prefix}t');
-- Dead letters.
CREATE STREAM letters (v INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', DEAD_LETTER_TOPIC = '${prefix}definitions');
SELECT * FROM letters;
-- Nothing is made or deleted.
CREATE STREAM made (v STRING) WITH (KAFKA_TOPIC = '${prefix}later', VALUE_FORMAT = 'JSON', PARTITIONS = 3);
DROP STREAM around DELETE TOPIC;
DROP STREAM around;
DROP TABLE held.`${prefix}definitions` PURGE;
-- The catalog works.
CREATE OR REPLACE STREAM held.`${prefix}t` (v STRING, w STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
DESCRIBE held.`${prefix}t`;
DROP STREAM held.`${prefix}t`;
