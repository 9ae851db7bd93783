-- OR of one column's values is IN, and <=> is =.
CREATE TABLE t (id INT PRIMARY KEY, region STRING PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC = '${prefix}t', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t VALUES (1, 'eu', 'Ann'), (2, 'eu', 'Bob'), (3, 'us', 'Cleo'), (4, 'us', 'Dan'), (5, 'eu', 'Eve');
DELETE FROM t WHERE (id = 1 OR id IN (3, 4) OR 5 = id) AND region <=> 'us';
SELECT * FROM t ORDER BY id;
DELETE FROM t WHERE id = 1 OR region = 'eu';
DELETE FROM t WHERE (id = 1 AND region = 'eu') OR (id = 2 AND region = 'eu');
DELETE FROM t WHERE (id = 1 OR id > 2) AND region = 'eu';
DELETE FROM t WHERE id <=> NULL AND region = 'eu';
DELETE FROM t WHERE id IN (SELECT 1) AND region = 'eu';
DELETE FROM t WHERE id = (SELECT 1) AND region = 'eu';
DELETE FROM t WHERE EXISTS (SELECT 1);
-- A view over a topic takes no tombstones.
CREATE VIEW v AS SELECT id, name FROM t;
CREATE VIEW w AS SELECT * FROM v;
CREATE TEMPORARY VIEW tv AS SELECT id, name FROM t;
DELETE FROM v WHERE id = 1;
DELETE FROM w AS x WHERE x.id = 1;
DELETE FROM tv WHERE id = 1;
SELECT * FROM v ORDER BY id;
