-- USING, and aliases that are also names of columns.
-- topic: ${prefix}u1 partitions=1
-- topic: ${prefix}u2 partitions=1
CREATE STREAM s (k INT KEY, a INT, x INT) WITH (KAFKA_TOPIC = '${prefix}u1', VALUE_FORMAT = 'JSON');
CREATE STREAM s2 (k INT KEY, a INT, z INT, "X" INT) WITH (KAFKA_TOPIC = '${prefix}u2', VALUE_FORMAT = 'JSON');
INSERT INTO s VALUES (1, 2, 3);
INSERT INTO s2 VALUES (1, 4, 5, 6);
SELECT * FROM s JOIN s2 USING (k);
SELECT k, s.a, s2.a, z FROM s LEFT JOIN s2 USING (k);
SELECT a.k, b.z, a.a, b.a FROM s a JOIN s2 b ON a.k = b.k;
SELECT a.x, b."X" FROM s a JOIN s2 b USING (k) WHERE a.a < b.a;
SELECT * FROM s JOIN s2 USING (x);
SELECT a FROM s a JOIN s2 b ON a.k = b.k;
SET spark.kafkalyst.identifiers=upper;
CREATE STREAM t (k INT KEY, a INT, z INT) WITH (KAFKA_TOPIC = '${prefix}u2', VALUE_FORMAT = 'JSON');
SELECT a.k, b.z FROM t a JOIN t b ON a.k = b.k;
SELECT * FROM t JOIN t b USING (k);
