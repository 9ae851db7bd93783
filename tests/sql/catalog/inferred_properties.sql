-- A definition that has only properties or a comment follows the topic's schemas, until a statement writes columns.
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM grower (v INT) WITH (KAFKA_TOPIC = '${prefix}f', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
COMMENT ON TABLE kafka.${prefix}f IS 'all of them';
ALTER TABLE kafka.${prefix}f SET TBLPROPERTIES ('on_error' = 'skip', 'scan.startup.mode' = 'earliest-offset');
INSERT INTO grower VALUES (1);
SELECT * FROM kafka.${prefix}f;
ALTER STREAM grower ADD COLUMN w STRING;
INSERT INTO grower VALUES (2, 'b');
REFRESH TABLE kafka.${prefix}f;
SELECT * FROM kafka.${prefix}f;
ALTER TABLE kafka.${prefix}f UNSET TBLPROPERTIES ('scan.startup.mode');
SHOW CREATE TABLE kafka.${prefix}f;
ALTER TABLE kafka.${prefix}f ADD COLUMN x INT;
ALTER STREAM grower REFRESH SCHEMA;
ALTER STREAM grower ADD COLUMN y INT;
REFRESH TABLE kafka.${prefix}f;
SELECT * FROM kafka.${prefix}f;
CREATE STREAM source ("ROWKEY" BYTES KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM written (v INT) WITH (KAFKA_TOPIC = '${prefix}w', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
COMMENT ON TABLE kafka.${prefix}w IS 'a query writes it';
INSERT INTO kafka.${prefix}w WITH (QUERY_ID = 'writes_inferred') SELECT * FROM source EMIT CHANGES;
ALTER STREAM written ADD COLUMN w STRING;
REFRESH TABLE kafka.${prefix}w;
DESCRIBE kafka.${prefix}w;
TERMINATE writes_inferred;
