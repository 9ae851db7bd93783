-- Statements into tables that are refused by name before anything is made: misspelt options, paths, groups in files.
-- topic: ${prefix}s partitions=1
-- record: ${prefix}s {"k": 1, "v": "a"}
CREATE STREAM s (k INT, v STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE TABLE landed (k INT, v STRING) USING parquet;
INSERT INTO landed WITH (TRIGER = 'available-now') SELECT k, v FROM s EMIT CHANGES;
INSERT INTO landed WITH (MREGE = 'append', TRIGGER = 'available-now') SELECT k, v FROM s EMIT CHANGES;
CREATE TABLE made USING parquet TBLPROPERTIES ('kafkalyst.triger' = 'available-now') AS SELECT k, v FROM s EMIT CHANGES;
ALTER TABLE landed SET TBLPROPERTIES ('kafkalyst.triger' = 'available-now');
INSERT INTO landed SELECT k, v FROM s EMIT CHANGES;
INSERT INTO parquet.`/some/path` SELECT k, v FROM s EMIT CHANGES;
CREATE TABLE parquet.`/some/path` USING parquet AS SELECT k, v FROM s EMIT CHANGES;
CREATE TABLE made USING parquet TBLPROPERTIES ('MERGE' = 'append') AS SELECT k, count(*) AS n FROM s GROUP BY k EMIT CHANGES;
-- A table of files gets no nested fields and wider types.
CREATE TABLE narrow (k SMALLINT, v STRING) USING parquet;
INSERT INTO narrow SELECT k, v FROM s EMIT CHANGES;
INSERT INTO narrow WITH (SCHEMA_EVOLUTION = 'add') SELECT k, v FROM s EMIT CHANGES;
SHOW TABLES LIKE 'made';
SHOW QUERIES;
