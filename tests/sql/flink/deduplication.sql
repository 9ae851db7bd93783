-- The first row of each key to arrive.
CREATE TABLE orders (id INT, product STRING, num INT, at TIMESTAMP(3), proctime AS PROCTIME(), WATERMARK FOR at AS at) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO orders VALUES (1, 'lamp', 1, TIMESTAMP_NTZ '2024-01-01 08:00:00');
INSERT INTO orders VALUES (2, 'desk', 1, TIMESTAMP_NTZ '2024-01-01 08:01:00');
INSERT INTO orders VALUES (1, 'lamp', 5, TIMESTAMP_NTZ '2024-01-01 07:00:00');
INSERT INTO orders VALUES (1, 'desk', 9, TIMESTAMP_NTZ '2024-01-01 08:02:00');
SELECT id, product, num FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY proctime ASC) AS row_num FROM orders) WHERE row_num = 1 EMIT CHANGES;
SELECT id, product, num, n FROM (SELECT id, product, num, ROW_NUMBER() OVER (PARTITION BY id, product ORDER BY PROCTIME()) AS n FROM orders WHERE num > 1) AS t WHERE n <= 1 AND num < 9 EMIT CHANGES;
SELECT id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at) AS n FROM orders) WHERE n = 1;
-- Orders by which a later row may come first, and more than one row.
SELECT id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at) AS n FROM orders) WHERE n = 1 EMIT CHANGES;
SELECT id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY proctime DESC) AS n FROM orders) WHERE n = 1 EMIT CHANGES;
SELECT id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY proctime) AS n FROM orders) WHERE n < 3 EMIT CHANGES;
