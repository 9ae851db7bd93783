-- Values of many groups have the order of their rows, in a batch and over batches: in a task of 128 groups and more Spark takes the later rows first.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM s (k INT KEY, v STRING, n INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s (ROWTIME, k, v, n) SELECT /*+ COALESCE(1) */ 1000, int(id % 500), if(id < 500, 'old', 'new'), int(id div 500) FROM range(1000);
CREATE TABLE t AS SELECT k, LATEST_BY_OFFSET(v) AS l, LATEST_BY_OFFSET(v, 2) AS l2, EARLIEST_BY_OFFSET(v) AS e, EARLIEST_BY_OFFSET(v, 1) AS e1, COLLECT_LIST(v) AS cl, COLLECT_SET(v) AS cs, TOPK(n, 2) AS tk, TOPKDISTINCT(n, 3) AS td, HISTOGRAM(v) AS h, ATTR(v) AS a FROM s GROUP BY k;
CREATE TABLE w AS SELECT k, LATEST_BY_OFFSET(v) AS l, LATEST_BY_OFFSET(v, 2) AS l2, COLLECT_LIST(v) AS cl FROM s WINDOW SESSION (1 HOUR) GROUP BY k;
CREATE TABLE m AS SELECT k, LATEST_BY_OFFSET(v) AS l, COLLECT_SET(v) AS cs FROM s WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY k;
SELECT DISTINCT l, l2, e, e1, cl, cs, tk, td, MAP_KEYS(h) AS hk, MAP_VALUES(h) AS hv, a FROM t;
SELECT DISTINCT l, l2, cl FROM w;
SELECT DISTINCT l, cs FROM m;
INSERT INTO s (ROWTIME, k, v, n) SELECT /*+ COALESCE(1) */ 2000, int(id % 500), if(id < 500, 'newer', 'newest'), int(id div 500) + 2 FROM range(1000);
CREATE OR REPLACE TABLE t AS SELECT k, LATEST_BY_OFFSET(v) AS l, LATEST_BY_OFFSET(v, 2) AS l2, EARLIEST_BY_OFFSET(v) AS e, EARLIEST_BY_OFFSET(v, 1) AS e1, COLLECT_LIST(v) AS cl, COLLECT_SET(v) AS cs, TOPK(n, 2) AS tk, TOPKDISTINCT(n, 3) AS td, HISTOGRAM(v) AS h, ATTR(v) AS a FROM s GROUP BY k;
CREATE OR REPLACE TABLE w AS SELECT k, LATEST_BY_OFFSET(v) AS l, LATEST_BY_OFFSET(v, 2) AS l2, COLLECT_LIST(v) AS cl FROM s WINDOW SESSION (1 HOUR) GROUP BY k;
CREATE OR REPLACE TABLE m AS SELECT k, LATEST_BY_OFFSET(v) AS l, COLLECT_SET(v) AS cs FROM s WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY k;
SELECT DISTINCT l, l2, e, e1, cl, cs, tk, td, MAP_KEYS(h) AS hk, MAP_VALUES(h) AS hv, a FROM t;
SELECT DISTINCT l, l2, cl FROM w;
SELECT DISTINCT l, cs FROM m;
