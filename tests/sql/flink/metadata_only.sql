-- Tables of nothing but the records' metadata.
-- topic: ${prefix}k partitions=1
-- record: ${prefix}k {"s":"a"}
CREATE TABLE places (`offset` BIGINT METADATA VIRTUAL, p INT METADATA FROM 'partition' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}k', 'format' = 'json');
SELECT * FROM places;
SELECT count(*) FROM places;
SHOW CREATE TABLE places AS FLINK;
CREATE TABLE heads (hs MAP<STRING, STRING> METADATA FROM 'headers') WITH ('connector' = 'kafka', 'topic' = '${prefix}k', 'format' = 'json');
INSERT INTO heads VALUES (map('a', 'b'));
SELECT * FROM heads;
CREATE TABLE x (`offset` BIGINT METADATA VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}k', 'format' = 'raw');
CREATE TABLE x (c AS 1) WITH ('connector' = 'kafka', 'topic' = '${prefix}k', 'format' = 'json');
CREATE STREAM x (o BIGINT METADATA FROM 'offset' VIRTUAL) WITH (KAFKA_TOPIC = '${prefix}k', VALUE_FORMAT = 'JSON');
