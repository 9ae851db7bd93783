-- A view reads the topic also where a temporary view has its name, and global temporary views are views over topics.
CREATE STREAM seen (id INT, `unit price` STRING) WITH (KAFKA_TOPIC = '${prefix}seen', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO seen VALUES (1, 'x');
CREATE VIEW sights AS SELECT id, "unit price" FROM seen;
CREATE TEMPORARY VIEW seen AS SELECT 1 AS one;
SELECT * FROM sights;
SELECT * FROM seen;
DROP VIEW seen;
CREATE GLOBAL TEMPORARY VIEW wide_sights AS SELECT * FROM seen;
SELECT * FROM global_temp.wide_sights EMIT CHANGES;
CACHE TABLE global_temp.wide_sights;
DROP VIEW global_temp.wide_sights;
DROP VIEW sights;
DROP STREAM seen;
-- A permanent function of the user's own is called UNNEST.
CREATE TABLE one_row USING parquet AS SELECT 1 AS id;
SELECT v FROM one_row CROSS JOIN UNNEST(array(1)) AS u(v);
CREATE FUNCTION unnest(a ARRAY<INT>) RETURNS TABLE (v INT) RETURN SELECT e.v + 100 FROM explode(a) AS e(v);
SELECT v FROM one_row CROSS JOIN UNNEST(array(1)) AS u(v);
DROP FUNCTION golden.unnest;
DROP TABLE one_row;
