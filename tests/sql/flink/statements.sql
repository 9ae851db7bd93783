-- Small statements of Flink's that Spark has in other words, and EXPLAIN with its details.
-- spark: 4.1
-- replace: #\d+L? => #${id}
-- replace: TopicWrite@[0-9a-f]+ => TopicWrite
-- replace: sizeInBytes=[^,)]* => sizeInBytes
CREATE TABLE a (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'json', 'PARTITIONS' = '1');
EXPLAIN PLAN FOR SELECT id FROM a FETCH FIRST 2 ROWS ONLY;
EXPLAIN ESTIMATED_COST, CHANGELOG_MODE SELECT id FROM a;
EXPLAIN JSON_EXECUTION_PLAN INSERT INTO a SELECT 1;
EXPLAIN STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO a SELECT 2; END;
EXPLAIN STATEMENT SET BEGIN SELECT 1; END;
SELECT count(*) FROM a;
USE CATALOG spark_catalog;
SHOW CURRENT CATALOG;
CREATE TEMPORARY VIEW v AS SELECT id FROM a;
DROP TEMPORARY VIEW v;
DROP TEMPORARY VIEW IF EXISTS v;
CREATE VIEW w AS SELECT id FROM a;
SHOW CREATE VIEW w;
DROP VIEW w;
