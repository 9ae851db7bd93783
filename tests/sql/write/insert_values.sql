-- INSERT VALUES: all columns, some of them in another order, NULLs, casts.
CREATE STREAM s (k INT KEY, a STRING, b DOUBLE, d DECIMAL(9, 2), t TIMESTAMP, arr ARRAY<INT>, m MAP<STRING, INT>, st STRUCT<x INT, y STRING>)
WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1, 'x', 1.5, 12.34, TIMESTAMP '2024-05-06 07:08:09.123456', array(1, 2), map('p', 1), named_struct('x', 1, 'y', 'z'));
INSERT INTO s (b, k) VALUES (7, 2);
INSERT INTO s VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO s (k, a) SELECT k + 10, upper(a) FROM s WHERE k = 1;
SELECT * FROM s;
SELECT k, st.y, arr[0], m['p'] FROM s WHERE st IS NOT NULL;
DROP STREAM s DELETE TOPIC;
