-- What ksqlDB does not have, where names are ksqlDB's; and what is refused everywhere.
-- conf: spark.kafkalyst.identifiers=upper
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
CREATE STREAM s (k INT KEY, x INT, t STRING, bo BOOLEAN, dc DECIMAL(5,2), a ARRAY<INT>, m MAP<STRING, INT>, st STRUCT<F INT>) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1, 5, 'x', true, 1.25, ARRAY(1, 2), MAP('a', 1), NAMED_STRUCT('F', 1));
INSERT INTO s (k) VALUES (2);
CREATE TABLE refused AS SELECT k, MAX(a) AS v FROM s GROUP BY k;
CREATE TABLE refused AS SELECT k, MIN(st) AS v FROM s GROUP BY k;
CREATE TABLE refused AS SELECT k, MAX(bo) AS v FROM s GROUP BY k;
CREATE TABLE refused AS SELECT k, TOPK(a, 2) AS v FROM s GROUP BY k;
CREATE TABLE refused AS SELECT k, HISTOGRAM(x) AS v FROM s GROUP BY k;
CREATE TABLE refused AS SELECT k, SUM_LIST(SPLIT(t, ',')) AS v FROM s GROUP BY k;
CREATE STREAM refused AS SELECT k, a['x'] AS v FROM s;
CREATE STREAM refused AS SELECT k, a[1.5] AS v FROM s;
CREATE STREAM refused AS SELECT k, STRUCT(F := x, F := k) AS v FROM s;
CREATE STREAM refused (k INT KEY, v ARRAY<STRUCT<F INT, F INT>>) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM refused AS SELECT * FROM (SELECT k, x FROM s);
CREATE STREAM refused AS WITH c AS (SELECT k, x FROM s) SELECT * FROM c;
CREATE STREAM refused AS SELECT k, x FROM s UNION ALL SELECT k, x FROM s;
CREATE STREAM refused AS SELECT DISTINCT k, x FROM s;
CREATE STREAM refused AS SELECT k, x FROM s ORDER BY k;
CREATE STREAM refused AS SELECT k, x FROM s WHERE k IN (SELECT k FROM s);
CREATE STREAM refused AS SELECT k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY x) AS r FROM s;
INSERT INTO s SELECT k, x, t, bo, dc, a, m, st FROM (SELECT * FROM s);
-- Plain statements are Spark's.
SELECT MAX(st) AS v, MAX(bo) AS b FROM (SELECT DISTINCT st, bo FROM s);
CREATE STREAM taken AS SELECT k, ARRAY[x, 7][1] AS v, ARRAY[x, 7][2] AS w, ARRAY[dc, 1.1][-1] AS d, STRUCT(F := x, "f" := k) AS two FROM s;
SELECT * FROM taken;
SET spark.kafkalyst.identifiers=preserve;
CREATE TABLE most AS SELECT k, MAX(a) AS v, MAX(bo) AS b FROM s GROUP BY k EMIT CHANGES;
SELECT * FROM most;
CREATE STREAM inner AS SELECT * FROM (SELECT k, x + 1 AS y FROM s);
SELECT * FROM inner;
