-- Clauses of Flink's queries that Spark's grammar lacks.
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
CREATE TABLE o (id INT, name STRING, tags ARRAY<STRING>, items ARRAY<ROW<sku STRING, n INT>>, m MAP<STRING, INT>, ts TIMESTAMP(3), day DATE) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO o VALUES
  (1, 'a', array('x', 'y'), array(named_struct('sku', 's', 'n', 1)), map('k', 1), TIMESTAMP_NTZ '2024-01-02 03:04:05.678', DATE '2024-01-02'),
  (2, 'b', array(), NULL, NULL, TIMESTAMP_NTZ '2024-02-01 00:00:00', DATE '2024-02-01'), (3, 'c', NULL, NULL, NULL, NULL, NULL);
SELECT id FROM o ORDER BY id FETCH FIRST 2 ROWS ONLY;
SELECT id FROM o ORDER BY id OFFSET 1 ROWS FETCH NEXT ROW ONLY;
SELECT id FROM o ORDER BY id OFFSET 2 ROWS;
SELECT id FROM o ORDER BY id FETCH FIRST ROWS;
SELECT id FROM o WHERE id BETWEEN SYMMETRIC 3 AND 2 AND name <> 'c';
SELECT id, FLOOR(ts TO HOUR) AS hour, CEIL(ts TO DAY) AS next, CEIL(day TO MONTH) AS month, FLOOR(ts TO QUARTER) AS quarter FROM o;
SELECT id FROM o WHERE FLOOR(ts TO WEEK) IS NULL;
SELECT CAST(ROW(id, name) AS ROW<x BIGINT, y STRING>) AS r, CAST((1, 'z') AS ROW(x BIGINT NOT NULL, t VARCHAR(3))) AS s FROM o;
-- UNNEST.
SELECT id, x FROM o CROSS JOIN UNNEST(tags) AS t(x);
SELECT id, x FROM o LEFT JOIN UNNEST(o.tags) AS t(x) ON TRUE;
SELECT id, t.sku, n FROM o, UNNEST(items) AS t(sku, n);
SELECT id, k, v FROM o CROSS JOIN UNNEST(m) AS t(k, v);
SELECT id, x, place FROM o CROSS JOIN UNNEST(tags) WITH ORDINALITY AS t(x, place);
SELECT sku, n, place FROM o CROSS JOIN UNNEST(items) WITH ORDINALITY AS t(sku, n, place);
WITH c AS (SELECT id, x FROM o JOIN UNNEST(tags) AS t(x) ON x <> 'y') SELECT * FROM c;
SELECT id FROM o CROSS JOIN UNNEST(name) AS t(x);
CREATE STREAM tag WITH (KAFKA_TOPIC = '${prefix}tag', VALUE_FORMAT = 'JSON', PARTITIONS = 1) AS SELECT id, x FROM o CROSS JOIN UNNEST(tags) AS t(x) EMIT CHANGES;
SELECT * FROM tag;
-- LATERAL TABLE.
SELECT id, x FROM o, LATERAL TABLE(EXPLODE(tags)) AS t(x);
SELECT id, x FROM o LEFT JOIN LATERAL TABLE(EXPLODE(tags)) AS t(x) ON TRUE;
WITH c AS (SELECT id, x FROM o, LATERAL TABLE(EXPLODE(tags)) AS t(x)) SELECT x FROM c;
SELECT id, x FROM o, LATERAL TABLE(nosuch(tags)) AS t(x);
CREATE TABLE exploded (id INT, x STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}exploded', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO exploded WITH (QUERY_ID = 'exploding') SELECT id, x FROM o, LATERAL TABLE(EXPLODE(tags)) AS t(x) EMIT CHANGES;
SELECT * FROM exploded;
-- Clauses that are refused by name.
SELECT a.id FROM o AS a JOIN o FOR SYSTEM_TIME AS OF a.ts AS b ON a.id = b.id;
SELECT * FROM o MATCH_RECOGNIZE (ORDER BY ts MEASURES A.id AS a PATTERN (A B) DEFINE A AS A.id = 1) AS t;
-- Spark's error where no topic is read, and its own table functions as they are.
SELECT 1 FETCH FIRST 1 ROWS ONLY;
SELECT x FROM VALUES (array(1, 2)) AS t(a), LATERAL explode(a) AS u(x);
