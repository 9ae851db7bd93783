-- TOPK, TOPKDISTINCT and n values by offset: over several runs, in sessions, and over a table, where rows are taken back.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: C[ST]AS_[A-Za-z0-9_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM s (k STRING KEY, v INT, n STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s (ROWTIME, k, v, n) VALUES (1, 'a', 5, 'x'), (2, 'a', 7, NULL), (3, 'a', 1, 'y');
CREATE TABLE t AS SELECT k, TOPK(v, 2) AS top, TOPKDISTINCT(v, 2) AS d, TOPK(v, n, 2) AS s, LATEST_BY_OFFSET(v, 2, FALSE) AS l, EARLIEST_BY_OFFSET(n, 2) AS e FROM s GROUP BY k EMIT CHANGES;
SELECT * FROM t;
INSERT INTO s (ROWTIME, k, v, n) VALUES (4, 'a', 7, 'p'), (5, 'a', NULL, 'q');
CREATE OR REPLACE TABLE t AS SELECT k, TOPK(v, 2) AS top, TOPKDISTINCT(v, 2) AS d, TOPK(v, n, 2) AS s, LATEST_BY_OFFSET(v, 2, FALSE) AS l, EARLIEST_BY_OFFSET(n, 2) AS e FROM s GROUP BY k EMIT CHANGES;
SELECT * FROM t;
-- The state has two values, not three.
CREATE OR REPLACE TABLE t AS SELECT k, TOPK(v, 3) AS top, TOPKDISTINCT(v, 2) AS d, TOPK(v, n, 2) AS s, LATEST_BY_OFFSET(v, 2, FALSE) AS l, EARLIEST_BY_OFFSET(n, 2) AS e FROM s GROUP BY k EMIT CHANGES;
CREATE TABLE w AS SELECT k, TOPK(v, 2) AS top, LATEST_BY_OFFSET(v, 2) AS l FROM s WINDOW SESSION (1 SECOND) GROUP BY k EMIT CHANGES;
SELECT k, top, l FROM w;
SELECT k, TOPKDISTINCT(v, 2) AS d, LATEST_BY_OFFSET(n, 1) AS l FROM s GROUP BY k;
