-- EMIT CHANGES shows groups of a table with the rows that it has: replaced and deleted ones are taken back.
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
