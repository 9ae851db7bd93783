-- Spark's own statements over a catalog's topics: what they do, and what they say where they cannot.
-- topic: ${prefix}s.a.b partitions=1
-- record: ${prefix}s.a.b key=a {"v": 1}
-- topic: ${prefix}s.Case partitions=1
-- topic: ${prefix}s.case partitions=1
-- topic: ${prefix}s.Once partitions=1
-- record: ${prefix}s.Once key=a 1
SHOW NAMESPACES IN kafka.${prefix}s;
SHOW TABLES IN kafka.${prefix}s;
SHOW TABLES IN kafka.${prefix}s.a;
SELECT count(*) FROM kafka.${prefix}s.a.b;
SELECT count(*) FROM kafka.`${prefix}s.a`.b;
SELECT count(*) FROM kafka.${prefix}s.`a.b`;
SHOW TABLES IN kafka.${prefix}nowhere;
USE kafka.${prefix}nowhere;
SELECT * FROM kafka.${prefix}s.CASE;
SELECT count(*) FROM kafka.${prefix}s.once;
SELECT * FROM kafka.${prefix}s.onse;
SELECT * FROM kafka.`..`;
CREATE STREAM kafka.`a b` (v INT) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE kafka.`a b` (v INT) USING kafkalyst;
CREATE TABLE kafka.`a b` USING kafkalyst AS SELECT 1 AS v;
CREATE TABLE kafka.${prefix}s.x USING kafkalyst AS SELECT CAST(raise_error('no row') AS INT) AS v FROM range(1);
CREATE TABLE kafka.${prefix}s.x (id INT NOT NULL COMMENT 'its number', v STRING DEFAULT 'a') USING kafkalyst;
CREATE TABLE kafka.${prefix}s.x (id INT NOT NULL COMMENT 'its number', v STRING) USING kafkalyst
  COMMENT 'all of them' TBLPROPERTIES ('key.fields' = 'id', 'value_format' = 'JSON');
DESCRIBE TABLE EXTENDED kafka.${prefix}s.x;
SHOW CREATE TABLE kafka.${prefix}s.x;
ALTER TABLE kafka.${prefix}s.x ADD COLUMN w STRUCT<a: INT>;
ALTER TABLE kafka.${prefix}s.x DROP COLUMN w;
ALTER TABLE kafka.${prefix}s.x RENAME COLUMN w TO z;
ALTER TABLE kafka.${prefix}s.x ALTER COLUMN v TYPE INT;
ALTER TABLE kafka.${prefix}s.x SET TBLPROPERTIES ('on_error' = 'skip', 'history' = 'spark_catalog.golden.old');
ALTER TABLE kafka.${prefix}s.x UNSET TBLPROPERTIES ('On_Error', 'HISTORY', 'none');
ALTER TABLE kafka.${prefix}s.x UNSET TBLPROPERTIES ('value_format');
ALTER TABLE kafka.${prefix}s.x UNSET TBLPROPERTIES ('kafka_topic');
SHOW CREATE TABLE kafka.${prefix}s.x;
ALTER TABLE kafka.${prefix}s.x SET TBLPROPERTIES ('nonsense' = '1');
ALTER TABLE kafka.${prefix}s.x SET LOCATION '/x';
INSERT INTO kafka.${prefix}s.x VALUES (1, 'a', named_struct('a', 5));
SELECT * FROM kafka.${prefix}s.x;
ANALYZE TABLE kafka.${prefix}s.x COMPUTE STATISTICS;
ANALYZE TABLE kafka.${prefix}s.x COMPUTE STATISTICS NOSCAN;
ANALYZE TABLE kafka.${prefix}s.x COMPUTE STATISTICS FOR COLUMNS v;
SHOW PARTITIONS kafka.${prefix}s.x;
CACHE TABLE kafka.${prefix}s.x;
CREATE VIEW spark_catalog.golden.surface AS SELECT v FROM kafka.${prefix}s.x;
SELECT * FROM spark_catalog.golden.surface;
DROP VIEW spark_catalog.golden.surface;
CREATE TEMPORARY VIEW surface AS SELECT v, ROWOFFSET FROM kafka.${prefix}s.x;
SELECT * FROM surface;
CACHE TABLE surface_rows AS SELECT * FROM kafka.${prefix}s.x;
SELECT count(*) FROM surface_rows;
UNCACHE TABLE surface_rows;
INSERT OVERWRITE kafka.${prefix}s.x VALUES (1, 'b', NULL);
TRUNCATE TABLE kafka.${prefix}s.x;
DROP TABLE IF EXISTS kafka.${prefix}s.nothing;
DROP TABLE IF EXISTS kafka.${prefix}s.nothing PURGE;
DROP TABLE kafka.${prefix}s.x PURGE;
SHOW TABLES IN kafka.${prefix}s LIKE 'x';
