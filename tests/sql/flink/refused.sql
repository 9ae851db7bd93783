-- Statements of Flink's that do not exist here are refused by name.
CREATE CATALOG c WITH ('type' = 'jdbc');
DROP CATALOG IF EXISTS c;
SHOW CREATE CATALOG c;
CREATE DATABASE IF NOT EXISTS d COMMENT 'x' WITH ('a' = 'b');
ALTER DATABASE d SET ('a' = 'b');
LOAD MODULE hive WITH ('hive-version' = '3.1.3');
SHOW FULL MODULES;
SHOW JARS;
REMOVE JAR 'x.jar';
SHOW JOBS;
STOP JOB '228d70913eab60dda85c5e7f78b5782c' WITH SAVEPOINT;
COMPILE PLAN 'p.json' FOR INSERT INTO t SELECT 1;
EXECUTE PLAN 'p.json';
CREATE MATERIALIZED TABLE m FRESHNESS = INTERVAL '30' SECOND AS SELECT 1;
CREATE MODEL m INPUT (a STRING) OUTPUT (b STRING) WITH ('provider' = 'openai');
CREATE TEMPORARY SYSTEM FUNCTION f AS 'a.b.C';
CREATE OR ALTER TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
-- UNIQUE.
CREATE TABLE t (id INT, v STRING, UNIQUE (v) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE t (id INT, v STRING, CONSTRAINT one UNIQUE (v) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE t (id INT, v STRING NOT NULL UNIQUE) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
-- A name like any other.
CREATE TABLE t (id INT, unique INT, r ROW<unique INT>) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'PARTITIONS' = '1');
-- Spark's own statements stay Spark's, and its own errors.
CREATE DATABASE d WITH DBPROPERTIES ('a' = 'b');
DROP DATABASE d;
SHOW PLENTY;
