-- The first row of each key to arrive, and the first and the last by other columns.
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: INSERTQUERY_\d+ => ${insert}
-- replace: (FIRST|LAST)_\w+ => ${id}
CREATE TABLE orders (id INT, product STRING, num INT, at TIMESTAMP(3), proctime AS PROCTIME(), WATERMARK FOR at AS at) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO orders VALUES (1, 'lamp', 1, TIMESTAMP_NTZ '2024-01-01 08:00:00');
INSERT INTO orders VALUES (2, 'desk', 1, TIMESTAMP_NTZ '2024-01-01 08:01:00');
INSERT INTO orders VALUES (1, 'lamp', 5, TIMESTAMP_NTZ '2024-01-01 07:00:00');
INSERT INTO orders VALUES (1, 'desk', 9, TIMESTAMP_NTZ '2024-01-01 08:02:00');
SELECT id, product, num FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY proctime ASC) AS row_num FROM orders) WHERE row_num = 1 EMIT CHANGES;
SELECT id, product, num, n FROM (SELECT id, product, num, ROW_NUMBER() OVER (PARTITION BY id, product ORDER BY PROCTIME()) AS n FROM orders WHERE num > 1) AS t WHERE n <= 1 AND num < 9 EMIT CHANGES;
SELECT id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at) AS n FROM orders) WHERE n = 1;
-- Orders by which a later row may come first: the result is a table.
SELECT id, product, num FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at) AS n FROM orders) WHERE n = 1 EMIT CHANGES;
CREATE TABLE firsts (num INT, id INT, n INT, at TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}firsts', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO firsts WITH (QUERY_ID = 'first_${prefix}') SELECT num, id, n, at FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at) AS n FROM orders) WHERE n = 1 EMIT CHANGES;
SELECT * FROM firsts;
CREATE TABLE lasts (id INT, num INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}lasts', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO lasts WITH (QUERY_ID = 'last_${prefix}') SELECT id, num FROM (SELECT num, id, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at DESC, num DESC) AS n FROM orders) AS t WHERE t.n <= 1 AND num < 10 EMIT CHANGES;
SELECT * FROM lasts;
INSERT INTO orders VALUES (2, 'desk', 10, TIMESTAMP_NTZ '2024-01-01 09:00:00'), (1, 'desk', 8, TIMESTAMP_NTZ '2024-01-01 06:00:00'), (3, 'desk', 3, TIMESTAMP_NTZ '2024-01-01 06:00:00');
RESUME first_${prefix};
RESUME last_${prefix};
SELECT * FROM firsts;
SELECT * FROM lasts;
INSERT INTO lasts SELECT id, num FROM (SELECT num, id, ROW_NUMBER() OVER (PARTITION BY id ORDER BY proctime DESC) AS n FROM orders) AS t WHERE n = 1 EMIT CHANGES;
SELECT * FROM lasts;
CREATE TABLE arrivals (id INT, num INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}arrivals', 'PARTITIONS' = '1', 'format' = 'json');
INSERT INTO arrivals SELECT id, num FROM (SELECT num, id, ROW_NUMBER() OVER (PARTITION BY id ORDER BY proctime) AS n FROM orders) AS t WHERE n = 1 EMIT CHANGES;
SELECT * FROM arrivals;
-- Results that replace rows in a table without a key; of rows that are replaced; orders of several directions, more than one row.
INSERT INTO arrivals SELECT id, num FROM (SELECT num, id, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at) AS n FROM orders) AS t WHERE n = 1 EMIT CHANGES;
INSERT INTO lasts SELECT id, num FROM (SELECT num, id, ROW_NUMBER() OVER (PARTITION BY id ORDER BY num) AS n FROM firsts) AS t WHERE n = 1 EMIT CHANGES;
SELECT id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at DESC, num) AS n FROM orders) WHERE n = 1 EMIT CHANGES;
SELECT id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY proctime) AS n FROM orders) WHERE n < 3 EMIT CHANGES;
-- The first row of each window, once the window is complete.
CREATE TABLE per_window (ws TIMESTAMP(3), product STRING, num INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}per_window', 'PARTITIONS' = '1', 'format' = 'json');
INSERT INTO per_window SELECT window_start, product, num FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, product ORDER BY num DESC) AS n FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '1' HOUR))) WHERE n = 1 EMIT CHANGES;
SELECT * FROM per_window;
INSERT INTO per_window SELECT window_start, product, num FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, product ORDER BY num DESC) AS n FROM TABLE(SESSION(TABLE orders PARTITION BY product, DESCRIPTOR(at), INTERVAL '1' HOUR))) WHERE n = 1 EMIT CHANGES;
