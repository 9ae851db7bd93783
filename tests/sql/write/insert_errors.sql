-- A wrong INSERT writes nothing.
-- topic: ${prefix}t
CREATE STREAM s (k INT KEY, a STRING, b DOUBLE) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1, 'x');
INSERT INTO s VALUES (1, 'x', 2.0, 3);
INSERT INTO s VALUES ('abc', 'x', 2.0);
INSERT INTO s VALUES (1, map(1, 2), 2.0);
INSERT INTO s (k, nope) VALUES (1, 'x');
INSERT INTO s (k, k) VALUES (1, 2);
INSERT OVERWRITE s VALUES (1, 'x', 2.0);
SELECT count(*) FROM s;
DROP STREAM s;
CREATE TABLE t (k INT PRIMARY KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}t', FORMAT = 'JSON');
INSERT INTO t VALUES (NULL, 'x'), (1, 'y');
PRINT '${prefix}t';
