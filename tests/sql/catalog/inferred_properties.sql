-- A definition that has only properties or a comment follows the topic's schemas, until a statement writes columns.
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
