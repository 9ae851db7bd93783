-- The first rows of each key without windows, in queries without end: the result is a table of the keys and the numbers.
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: INSERTQUERY_\d+ => ${insert}
-- replace: TOP_\w+ => ${id}
CREATE TABLE sales (product STRING, category STRING, sold BIGINT, at TIMESTAMP(3), tags ARRAY<STRING>, proctime AS PROCTIME(), WATERMARK FOR at AS at) WITH ('connector' = 'kafka', 'topic' = '${prefix}sales', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO sales VALUES ('a', 'x', 5, TIMESTAMP_NTZ '2024-01-01 00:00:00', array('t')), ('b', 'x', 7, TIMESTAMP_NTZ '2024-01-01 00:01:00', NULL), ('c', 'x', 6, TIMESTAMP_NTZ '2024-01-01 00:02:00', array()), ('d', 'y', 1, TIMESTAMP_NTZ '2024-01-01 00:03:00', NULL), ('e', 'x', 7, TIMESTAMP_NTZ '2024-01-01 00:04:00', array('u', NULL));
CREATE TABLE top (category STRING, place BIGINT, product STRING, sold BIGINT, tags ARRAY<STRING>, PRIMARY KEY (category, place) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}top', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO top WITH (QUERY_ID = 'top_${prefix}') SELECT category, n, product, sold, tags FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY category ORDER BY sold DESC) AS n FROM sales) WHERE n <= 2 EMIT CHANGES;
SELECT * FROM top;
-- The first place changes, so all do; NULL is last of a descending order.
INSERT INTO sales VALUES ('f', 'x', 9, TIMESTAMP_NTZ '2024-01-01 00:05:00', NULL), ('g', 'y', 0, TIMESTAMP_NTZ '2024-01-01 00:06:00', NULL), ('h', 'y', NULL, TIMESTAMP_NTZ '2024-01-01 00:07:00', NULL);
RESUME top_${prefix};
SELECT * FROM top;
TERMINATE top_${prefix};
-- Several directions, and a condition that deletes the rows that it does not let pass.
INSERT INTO top SELECT category, n, product, sold, tags FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY category ORDER BY sold DESC NULLS LAST, at, product DESC) AS n FROM sales) WHERE n < 3 AND sold > 5 EMIT CHANGES;
SELECT * FROM top;
-- Without PARTITION BY the number alone is the key.
CREATE TABLE best (place INT, product STRING, PRIMARY KEY (place) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}best', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO best SELECT n, product FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY sold DESC, product DESC) AS n FROM sales) WHERE n <= 3 EMIT CHANGES;
SELECT * FROM best;
-- The number in another place, none, a table without a key, all rows, another function.
INSERT INTO top SELECT category, sold, product, n, tags FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY category ORDER BY sold) AS n FROM sales) WHERE n <= 2 EMIT CHANGES;
INSERT INTO top SELECT category, 1, product, sold, tags FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY category ORDER BY sold) AS n FROM sales) WHERE n <= 2 EMIT CHANGES;
CREATE TABLE rows_only (product STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}rows_only', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO rows_only SELECT product FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY category ORDER BY sold) AS n FROM sales) WHERE n <= 2 EMIT CHANGES;
INSERT INTO top SELECT category, n, product, sold, tags FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY category ORDER BY sold) AS n FROM sales) WHERE n > 2 EMIT CHANGES;
INSERT INTO top SELECT category, n, product, sold, tags FROM (SELECT *, RANK() OVER (PARTITION BY category ORDER BY sold) AS n FROM sales) WHERE n <= 2 EMIT CHANGES;
-- Only the first rows of each key, in the order in which they come.
SELECT category, product, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY category ORDER BY proctime) AS n FROM sales) WHERE n <= 2 EMIT CHANGES;
-- Of a table, whose rows are replaced and deleted: the numbers that no row has any more are deleted.
CREATE TABLE stock (product STRING, category STRING, sold BIGINT, PRIMARY KEY (product) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}stock', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO stock VALUES ('a', 'x', 5), ('b', 'x', 7), ('c', 'x', 6), ('d', 'y', 1), ('a', 'x', 9);
CREATE TABLE leaders (category STRING, place BIGINT, product STRING, sold BIGINT, PRIMARY KEY (category, place) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}leaders', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO leaders WITH (QUERY_ID = 'top_l${prefix}') SELECT category, n, product, sold FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY category ORDER BY sold DESC, product) AS n FROM stock) WHERE n <= 2 EMIT CHANGES;
SELECT * FROM leaders;
INSERT INTO stock VALUES ('a', 'y', 2), ('e', 'x', 7);
DELETE FROM stock WHERE product = 'b';
RESUME top_l${prefix};
SELECT * FROM leaders;
DELETE FROM stock WHERE product IN ('a', 'd');
DELETE FROM stock WHERE product = 'e';
RESUME top_l${prefix};
SELECT * FROM leaders;
SELECT category, n, product FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY category ORDER BY sold) AS n FROM stock) WHERE n <= 2 EMIT CHANGES;
-- Groups become a table first.
CREATE TABLE totals (category STRING, product STRING, total BIGINT, PRIMARY KEY (category, product) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}totals', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO totals SELECT category, product, SUM(sold) FROM sales GROUP BY category, product EMIT CHANGES;
INSERT INTO leaders SELECT category, n, product, total FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY category ORDER BY total DESC, product) AS n FROM totals) WHERE n <= 2 EMIT CHANGES;
SELECT * FROM leaders;
INSERT INTO leaders SELECT category, n, product, total FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY category ORDER BY total DESC) AS n FROM (SELECT category, product, SUM(sold) AS total FROM sales GROUP BY category, product)) WHERE n <= 2 EMIT CHANGES;
