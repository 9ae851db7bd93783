-- ksqlDB's functions refuse arguments of types that ksqlDB's own do not take, by name and place.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
CREATE STREAM t (k INT KEY, b BIGINT, s STRING, c DECIMAL(6, 2), a ARRAY<INT>, l ARRAY<BIGINT>, p ARRAY<DECIMAL(4, 2)>, q ARRAY<DECIMAL(6, 0)>, w ARRAY<STRING>) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t VALUES (1, 7, 'x', 2.50, ARRAY[1, 2], ARRAY[CAST(2 AS BIGINT)], ARRAY[1.50], ARRAY[2], ARRAY['x']);
SELECT ARRAY_UNION(a, w) AS x FROM t EMIT CHANGES;
SELECT ARRAY_EXCEPT(a, b) AS x FROM t EMIT CHANGES;
SELECT ARRAY_INTERSECT(s, w) AS x FROM t EMIT CHANGES;
SELECT ARRAY_DISTINCT(s) AS x FROM t EMIT CHANGES;
SELECT ARRAY_CONCAT(w, a) AS x FROM t EMIT CHANGES;
SELECT LPAD(s, b, '-') AS x FROM t EMIT CHANGES;
SELECT RPAD(s, c, '-') AS x FROM t EMIT CHANGES;
SELECT FROM_DAYS(b) AS x FROM t EMIT CHANGES;
SELECT UUID(s) AS x FROM t EMIT CHANGES;
SELECT ARRAY_UNION(p, q) AS x FROM t EMIT CHANGES;
-- Numbers of other types, and NULL, are arguments.
SELECT ARRAY_UNION(a, l) AS u, ARRAY_EXCEPT(a, l) AS e, LPAD(s, k + 1, '-') AS pad, FROM_DAYS(k) AS day, CEIL(NULL) AS up, FLOOR(NULL) AS down, UUID(NULL) AS id FROM t EMIT CHANGES LIMIT 1;
