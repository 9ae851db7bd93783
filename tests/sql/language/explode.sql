-- Table functions: one or several step together, shorter ones are padded; where they may not stand.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
CREATE STREAM t (k INT KEY, a ARRAY<INT>, b ARRAY<STRING>, st ARRAY<STRUCT<x INT, y STRING>>) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t VALUES (1, array(10, 20, 30), array('x', 'y'), array(named_struct('x', 1, 'y', 'one')));
INSERT INTO t VALUES (2, null, array('z'), null);
INSERT INTO t VALUES (3, array(), null, array());
CREATE STREAM one AS SELECT k, EXPLODE(a) AS v FROM t;
SELECT * FROM one ORDER BY k, v;
CREATE STREAM zip AS SELECT k, EXPLODE(a) AS v, EXPLODE(b) AS w, EXPLODE(a) + 1 AS v1, UCASE(EXPLODE(b)) AS uw FROM t WHERE k < 3;
SELECT * FROM zip ORDER BY k, v;
CREATE STREAM star AS SELECT *, EXPLODE(st)->y FROM t;
SELECT * FROM star ORDER BY k;
CREATE STREAM unnamed AS SELECT k, EXPLODE(ARRAY[1, k, 3]) FROM t;
SELECT * FROM unnamed ORDER BY k, ksql_col_0;
CREATE STREAM keyed AS SELECT EXPLODE(b) AS w, k FROM t PARTITION BY k;
SELECT * FROM keyed ORDER BY k, w;
CREATE STREAM cubed AS SELECT k, CUBE_EXPLODE(ARRAY[k, 7]) AS v FROM t WHERE k = 1;
PRINT '${prefix}CUBED' LIMIT 4;
CREATE STREAM wrong AS SELECT k, EXPLODE(EXPLODE(a)) AS v FROM t;
CREATE STREAM wrong AS SELECT k, CASE WHEN true THEN EXPLODE(a) END AS v FROM t;
CREATE STREAM wrong AS SELECT k, EXPLODE(k) AS v FROM t;
CREATE STREAM wrong AS SELECT k, a FROM t WHERE EXPLODE(a) = 1;
CREATE STREAM wrong AS SELECT k, a FROM t PARTITION BY EXPLODE(a);
CREATE TABLE wrong AS SELECT k, EXPLODE(a) AS v, COUNT(*) AS c FROM t GROUP BY k EMIT CHANGES;
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
