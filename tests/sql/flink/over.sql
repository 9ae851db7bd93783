-- Window functions over the rows before each, in queries without end: a row comes once the watermark has passed its time.
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: OVER_\w+ => ${id}
-- replace: INSERTQUERY_\d+ => ${insert}
CREATE TABLE orders (id INT, product STRING, amount INT, at TIMESTAMP(3), tags ARRAY<STRING>, proctime AS PROCTIME(), WATERMARK FOR at AS at - INTERVAL '5' SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}orders', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO orders VALUES (1, 'a', 1, TIMESTAMP_NTZ '2024-01-01 10:00:00', array('x', NULL)), (2, 'a', 2, TIMESTAMP_NTZ '2024-01-01 10:10:00', NULL), (3, 'b', 10, TIMESTAMP_NTZ '2024-01-01 10:10:00', NULL), (4, 'a', 3, TIMESTAMP_NTZ '2024-01-01 10:10:00', NULL), (5, 'a', 4, TIMESTAMP_NTZ '2024-01-01 11:05:00', NULL), (6, 'b', 20, TIMESTAMP_NTZ '2024-01-01 10:20:00', NULL), (7, 'a', NULL, TIMESTAMP_NTZ '2024-01-01 11:06:00', NULL), (8, 'a', 8, NULL, NULL), (9, NULL, 0, TIMESTAMP_NTZ '2024-01-01 12:00:00', array());
CREATE TABLE sums (id INT, product STRING, total BIGINT, n BIGINT, at TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = '${prefix}sums', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO sums WITH (QUERY_ID = 'over_${prefix}') SELECT id, product, SUM(amount) OVER (PARTITION BY product ORDER BY at RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW), COUNT(*) OVER (PARTITION BY product ORDER BY at RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW), at FROM orders EMIT CHANGES;
SELECT * FROM sums;
-- Late rows are left out, and frames reach back into earlier runs.
INSERT INTO orders VALUES (10, 'a', 100, TIMESTAMP_NTZ '2024-01-01 12:05:00', NULL), (11, 'b', 1, TIMESTAMP_NTZ '2024-01-01 10:30:00', NULL), (12, NULL, 5, TIMESTAMP_NTZ '2024-01-01 12:50:00', NULL), (13, 'c', 7, TIMESTAMP_NTZ '2024-01-01 15:00:00', NULL);
RESUME over_${prefix};
SELECT * FROM sums;
INSERT INTO orders VALUES (14, 'b', NULL, TIMESTAMP_NTZ '2024-01-01 15:30:00', NULL), (15, 'c', 8, TIMESTAMP_NTZ '2024-01-01 16:00:00', NULL), (16, 'c', 9, TIMESTAMP_NTZ '2024-01-01 20:00:00', NULL);
RESUME over_${prefix};
SELECT * FROM sums;
TERMINATE over_${prefix};
-- All rows before, numbers of rows, functions of several kinds; as a query that ends computes them.
SELECT id, SUM(amount) OVER (PARTITION BY product ORDER BY at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS two, COUNT(amount) OVER (PARTITION BY product ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS n, AVG(amount) OVER (PARTITION BY product ORDER BY at) AS mean, LAG(id) OVER (PARTITION BY product ORDER BY at) AS before, LAG(id, 2, -1) OVER (PARTITION BY product ORDER BY at) AS second, ROW_NUMBER() OVER (PARTITION BY product ORDER BY at) AS place, COUNT(amount) OVER (PARTITION BY product ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS again FROM orders WHERE id NOT IN (2, 4) EMIT CHANGES;
SELECT id, SUM(amount) OVER (PARTITION BY product ORDER BY at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS two, COUNT(amount) OVER (PARTITION BY product ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS n, AVG(amount) OVER (PARTITION BY product ORDER BY at) AS mean, LAG(id) OVER (PARTITION BY product ORDER BY at) AS before, LAG(id, 2, -1) OVER (PARTITION BY product ORDER BY at) AS second, ROW_NUMBER() OVER (PARTITION BY product ORDER BY at) AS place FROM orders WHERE id NOT IN (2, 4) AND at < TIMESTAMP_NTZ '2024-01-01 20:00:00';
-- A named window, values that are computed first, nested values, and conditions on the result.
SELECT id, tags, a, b FROM (SELECT *, MAX(amount * 2) OVER w AS a, FIRST_VALUE(upper(product)) OVER w AS b FROM orders WINDOW w AS (ORDER BY at RANGE BETWEEN INTERVAL '30' MINUTE PRECEDING AND CURRENT ROW)) WHERE a < 45 EMIT CHANGES LIMIT 3;
-- In the order in which the rows come.
SELECT id, SUM(amount) OVER (PARTITION BY product ORDER BY proctime ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS a FROM orders WHERE product = 'a' EMIT CHANGES;
-- Each row is the new one of its key.
CREATE TABLE latest (id INT, total BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}latest', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO latest SELECT id, SUM(amount) OVER (PARTITION BY product ORDER BY at) FROM orders WHERE id < 9 EMIT CHANGES;
SELECT * FROM latest;
-- Other orders, rows that follow, two windows, rows that are replaced.
INSERT INTO latest SELECT id, SUM(amount) OVER (PARTITION BY product ORDER BY amount) FROM orders EMIT CHANGES;
INSERT INTO latest SELECT id, SUM(amount) OVER (PARTITION BY product ORDER BY at DESC) FROM orders EMIT CHANGES;
INSERT INTO latest SELECT id, SUM(amount) OVER (PARTITION BY product ORDER BY at ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM orders EMIT CHANGES;
INSERT INTO latest SELECT id, SUM(amount) OVER (PARTITION BY product ORDER BY at) + SUM(amount) OVER (PARTITION BY id ORDER BY at) FROM orders EMIT CHANGES;
INSERT INTO latest SELECT id, SUM(total) OVER (ORDER BY id) FROM latest EMIT CHANGES;
