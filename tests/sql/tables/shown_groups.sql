-- EMIT CHANGES shows groups of a table with the rows that it has: replaced and deleted ones are taken back.
-- replace: C[ST]AS_[A-Z_0-9]+_\d+ => ${query}
-- replace: \S*/checkpoints/\S+ => ${checkpoint}
-- topic: ${prefix}t partitions=1
-- record: ${prefix}t key=1 {"g":"x","v":1}
-- record: ${prefix}t key=2 {"g":"x","v":5}
-- record: ${prefix}t key=3 {"g":"y","v":7}
-- record: ${prefix}t key=1 {"g":"y","v":2}
-- record: ${prefix}t key=3 null
CREATE TABLE t (k STRING PRIMARY KEY, g STRING, v INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
SELECT g, COUNT(*) AS n, SUM(v) AS s, MIN(v) AS lo, MAX(v) AS hi FROM t GROUP BY g EMIT CHANGES;
SELECT COUNT(*) AS n FROM t EMIT CHANGES;
SELECT g, COUNT(*) AS n FROM t WHERE v > 1 GROUP BY g HAVING COUNT(*) > 0 EMIT CHANGES;
SELECT g, COUNT(*) AS n FROM t GROUP BY g;
-- Groups need the key that a subquery, a view or a common table expression leaves out.
SELECT g, MAX(v) AS hi FROM (SELECT g, v FROM t WHERE v > 1) AS x GROUP BY g EMIT CHANGES;
WITH x AS (SELECT g, v + 1 AS w FROM t) SELECT g, SUM(w) AS s FROM x GROUP BY g EMIT CHANGES;
CREATE TEMPORARY VIEW x AS SELECT g, v FROM t;
SELECT g, COUNT(v) AS n FROM x GROUP BY g EMIT CHANGES;
DROP VIEW x;
CREATE TABLE kept WITH (KAFKA_TOPIC = '${prefix}kept', VALUE_FORMAT = 'JSON') AS SELECT g, SUM(v) AS s FROM (SELECT g, v FROM t) AS x GROUP BY g EMIT CHANGES;
SELECT * FROM kept;
SELECT g, COUNT(*) AS n FROM t GROUP BY ROLLUP(g) EMIT CHANGES;
SELECT MAX(n) FROM (SELECT g, COUNT(*) AS n FROM t GROUP BY g) AS x EMIT CHANGES;
SELECT g, PERCENTILE(v, 0.5) AS p FROM t GROUP BY g EMIT CHANGES;
