-- Flink's CREATE TEMPORARY TABLE: a table of the session alone.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- topic: ${prefix}t partitions=1
CREATE TEMPORARY TABLE t (id INT, n STRING, up AS upper(n)) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TEMPORARY TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TEMPORARY TABLE IF NOT EXISTS t (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
INSERT INTO t VALUES (1, 'a'), (2, 'b');
INSERT INTO t (id) SELECT id + 10 FROM t;
SELECT * FROM t;
SELECT a.id FROM t AS a JOIN t AS b ON a.id = b.id + 1;
DESCRIBE t;
SHOW COLUMNS FROM t;
SHOW STREAMS;
SHOW CREATE TABLE t AS FLINK;
ALTER TABLE t SET ('json.ignore-parse-errors' = 'true');
ALTER TABLE t ADD twice AS id * 2;
SELECT id, twice FROM t WHERE id = 1;
CREATE TEMPORARY TABLE u LIKE t;
SELECT twice FROM u WHERE id = 2;
CREATE TABLE kept (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
DROP TEMPORARY TABLE kept;
DROP TEMPORARY TABLE IF EXISTS kept;
SELECT id FROM kept WHERE id = 1;
-- Queries that run on start again in other sessions.
CREATE STREAM more AS SELECT id, n FROM t;
INSERT INTO t SELECT id, n FROM kept EMIT CHANGES;
-- A query's rows go into it by INSERT.
CREATE TEMPORARY TABLE x WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json') AS SELECT id FROM t;
DROP TEMPORARY TABLE t;
DROP TABLE u;
DROP TEMPORARY TABLE IF EXISTS t;
DROP STREAM t;
