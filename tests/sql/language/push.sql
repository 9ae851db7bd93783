-- SELECT … EMIT CHANGES is in ksqlDB's language where names are, and so are its columns' names.
-- conf: spark.kafkalyst.identifiers=upper
-- replace: #\d+L? => #
CREATE STREAM t (k INT KEY, i INT, d DOUBLE, s STRING, arr ARRAY<INT>, m MAP<STRING, INT>, st STRUCT<a INT, b STRUCT<c STRING>>, at TIMESTAMP)
WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t VALUES (1, 7, 2.5, 'ab', array(10, 20, 30), map('x', 1), named_struct('a', 5, 'b', named_struct('c', 'in')), timestamp '2026-01-01 00:00:00');
INSERT INTO t VALUES (2, 8, 3.5, 'cd', array(1), map('y', 2), NULL, NULL);
SELECT k, arr[1], arr[-1], m['x'], i / 2, i / 0, s + 'x', 'a\d', '"it''s"' FROM t EMIT CHANGES;
SELECT k, SUBSTRING(s, 1, 1), TIMESTAMPADD(DAYS, 1, at), CAST(at AS VARCHAR), CAST(s AS INT) FROM t WHERE arr[1] = 10 EMIT CHANGES;
SELECT st->a, st->b->c, st->a + 1, STRUCT(f := i)->f FROM t EMIT CHANGES;
SELECT k, TRANSFORM(arr, x => x + 1), FILTER(arr, x => x > 10) AS big FROM t EMIT CHANGES;
SELECT k, EXPLODE(arr) FROM t EMIT CHANGES;
SELECT k, EXPLODE(arr) AS e FROM t EMIT CHANGES LIMIT 2;
SELECT k, ROWOFFSET, ROWPARTITION, ROWTIME > 0 FROM t EMIT CHANGES;
SELECT k, COUNT(*), SUM(i), AVG(d), COLLECT_LIST(i), LATEST_BY_OFFSET(s) AS latest FROM t GROUP BY k HAVING COUNT(*) > 0 EMIT CHANGES;
SELECT k, COUNT(*) AS n, WINDOWEND - WINDOWSTART AS size FROM t WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY k EMIT CHANGES;
SELECT * FROM t WHERE i > 7 EMIT CHANGES;
SELECT '1' = 1 FROM t EMIT CHANGES;
SELECT k FROM t WHERE EXPLODE(arr) = 1 EMIT CHANGES;
SELECT k FROM t ORDER BY k EMIT CHANGES;
SELECT k FROM tt EMIT CHANGES;
EXPLAIN SELECT k, arr[1] FROM t EMIT CHANGES;
-- Spark's own, here and in all that ends.
SELECT k, arr[0], i / 2 FROM t WHERE k = 1;
EXPLAIN SELECT k FROM t WHERE i > 7 LIMIT 0;
