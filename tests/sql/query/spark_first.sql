-- replace: CSAS_COPIED_\d+ => CSAS_COPIED
-- replace: \S+checkpoints/ => checkpoints/
-- Spark's reading stands, and ours is added where a topic is read. Double quotes stay as Spark has them.
CREATE STREAM o (k STRING KEY, id BIGINT, "@ID" INT, s STRUCT<x INT>, xs ARRAY<INT>) WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO o (k, id, "@ID", s, xs) VALUES ('a', 1, 10, named_struct('x', 5), array(1, 2)), ('b', 2, 20, named_struct('x', 6), array(3));
-- A text in double quotes is a column where the topic has one, and a text elsewhere.
SELECT k, "@ID", "no column" AS text FROM o WHERE "@ID" > 10;
SELECT "@ID" AS n, count(*) AS c FROM o GROUP BY "@ID" ORDER BY "@ID";
SELECT "k" = "a" AS other FROM (SELECT 1 AS k);
SELECT o."@ID" FROM o ORDER BY id;
-- Arrows into structs, and lambdas.
SELECT s->x, 10 - s->x AS d, abs(s->x) AS a, transform(xs, e -> e + 1) AS t FROM o ORDER BY id;
SELECT transform(array(1, 2), x -> x * 2) AS t;
SELECT r'a\', 'x -> y' AS t;
SELECT emit changes FROM (SELECT 1 AS emit);
-- Views: read once as they are, without end with EMIT CHANGES.
CREATE TEMPORARY VIEW big AS SELECT k, id FROM o WHERE id > 1;
CREATE TEMPORARY VIEW bigger (name, n) AS WITH b AS (SELECT * FROM big) SELECT k, id + 1 FROM b;
SELECT * FROM bigger;
SELECT * FROM bigger EMIT CHANGES;
CREATE STREAM copied AS SELECT name, n FROM bigger;
CREATE TEMPORARY VIEW endless AS SELECT * FROM o EMIT CHANGES;
CREATE VIEW kept_endless AS SELECT * FROM o EMIT CHANGES;
CREATE OR REPLACE VIEW sf_endless AS SELECT k, id FROM STREAM o;
SELECT * FROM sf_endless;
DROP VIEW sf_endless;
CACHE TABLE cached AS SELECT * FROM o EMIT CHANGES;
-- Spark's own table over a topic.
CREATE TABLE counted AS SELECT k, count(*) AS n FROM o GROUP BY k;
SELECT * FROM counted ORDER BY k;
INSERT INTO counted REPLACE WHERE 1 = 1 SELECT count(*) FROM o EMIT CHANGES;
DROP TABLE counted;
DESCRIBE o EXTENDED;
DELETE FROM o WHERE "k" = 'a';
DROP STREAM copied DELETE TOPIC;
DROP STREAM o DELETE TOPIC;
