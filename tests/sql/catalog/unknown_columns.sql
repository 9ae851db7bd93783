-- A topic whose columns are not known until a message of its schema is named.
-- topic: ${prefix}u.known partitions=1
-- topic: ${prefix}u.two partitions=1
-- topic: ${prefix}u.gone partitions=1
-- schema: two ${prefix}u.two-value PROTOBUF syntax = "proto3"; message A { int32 a = 1; } message B { int64 b = 1; }
-- schema: gone ${prefix}u.gone-value PROTOBUF syntax = "proto3"; message A { int32 a = 1; } message B { int64 b = 1; }
SHOW TABLES IN kafka.${prefix}u;
SHOW TABLE EXTENDED IN kafka.${prefix}u LIKE 'two';
SHOW STREAMS IN kafka.${prefix}u;
SELECT a FROM kafka.${prefix}u.two;
DESCRIBE TABLE kafka.${prefix}u.two;
SHOW CREATE TABLE kafka.${prefix}u.two;
INSERT INTO kafka.${prefix}u.two VALUES (X'6B', 1);
DELETE FROM kafka.${prefix}u.two WHERE ROWKEY = X'6B';
UPDATE kafka.${prefix}u.two SET a = 1;
ALTER TABLE kafka.${prefix}u.two ADD COLUMN c INT;
COMMENT ON TABLE kafka.${prefix}u.two IS 'x';
SELECT a FROM kafka.${prefix}u.two WITH ('value_schema_full_name' = 'A');
SELECT * FROM kafka.${prefix}u.two WITH ('value_schema_full_name' = 'C');
SELECT * FROM kafka.${prefix}u.two WITH ('scan.startup.mode' = 'earliest-offset');
REFRESH TABLE kafka.${prefix}u.two;
ALTER TABLE kafka.${prefix}u.two SET TBLPROPERTIES ('on_error' = 'skip');
ALTER TABLE kafka.${prefix}u.two SET TBLPROPERTIES ('value_schema_full_name' = 'C');
ALTER TABLE kafka.${prefix}u.two SET TBLPROPERTIES ('value_schema_full_name' = 'B', 'on_error' = 'skip');
DESCRIBE TABLE kafka.${prefix}u.two;
INSERT INTO kafka.${prefix}u.two VALUES (X'6B', 7);
SELECT b FROM kafka.${prefix}u.two;
SELECT b FROM kafka.${prefix}u.two WITH ('value_schema_full_name' = 'B');
SELECT b FROM kafka.${prefix}u.two WITH ('value_schema_full_name' = 'A');
DROP TABLE kafka.${prefix}u.two;
SELECT b FROM kafka.${prefix}u.two WITH ('value_schema_full_name' = 'B');
DROP TABLE kafka.${prefix}u.gone;
DROP TABLE kafka.${prefix}u.gone PURGE;
SHOW TABLES IN kafka.${prefix}u;
