-- The first rows of each window, and groups of windows that are complete, in queries without end.
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: INSERTQUERY_\d+ => ${insert}
CREATE TABLE bids (item STRING, price DECIMAL(10, 2), tags MAP<STRING, INT>, at TIMESTAMP(3), WATERMARK FOR at AS at - INTERVAL '5' SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}bids', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO bids VALUES ('A', 4.00, map('t', 1), TIMESTAMP_NTZ '2020-04-15 08:05:00'), ('C', 2.00, map('t', 2), TIMESTAMP_NTZ '2020-04-15 08:07:00'), ('D', 5.00, map('t', 3), TIMESTAMP_NTZ '2020-04-15 08:09:00'), ('B', 3.00, map('t', 4), TIMESTAMP_NTZ '2020-04-15 08:11:00'), ('A', NULL, NULL, TIMESTAMP_NTZ '2020-04-15 08:13:00'), ('F', 6.00, map('t', 6), TIMESTAMP_NTZ '2020-04-15 08:17:00'), ('B', 7.00, map('t', 7), TIMESTAMP_NTZ '2020-04-15 08:18:00'), ('B', 7.00, map('t', 7), TIMESTAMP_NTZ '2020-04-15 08:59:00');
CREATE TABLE best (ws TIMESTAMP(3), item STRING, price DECIMAL(10, 2), n BIGINT, tag INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}best', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO best SELECT window_start, item, price, n, tags['t'] FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price DESC) AS n FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(at), INTERVAL '10' MINUTE))) WHERE n <= 2 EMIT CHANGES;
SELECT * FROM best;
SELECT window_start, item, price, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price DESC) AS n FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(at), INTERVAL '10' MINUTE))) WHERE n <= 2;
-- By item, ascending, with another condition; and in a SELECT.
CREATE TABLE per_item (ws TIMESTAMP(3), item STRING, price DECIMAL(10, 2), n BIGINT) WITH ('connector' = 'kafka', 'topic' = '${prefix}per_item', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO per_item SELECT window_start, item, price, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, item ORDER BY price, at) AS n FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(at), INTERVAL '10' MINUTE))) WHERE n < 3 AND price > 2 EMIT CHANGES;
SELECT * FROM per_item;
SELECT window_start, item, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price) AS n FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(at), INTERVAL '10' MINUTE)) WHERE price IS NOT NULL) WHERE n <= 2 EMIT CHANGES LIMIT 2;
-- The best groups of each window.
CREATE TABLE sums (ws TIMESTAMP(3), item STRING, price DECIMAL(10, 2), n BIGINT) WITH ('connector' = 'kafka', 'topic' = '${prefix}sums', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO sums SELECT window_start, item, price, n FROM (SELECT window_start, window_end, item, price, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price DESC) AS n FROM (SELECT window_start, window_end, item, SUM(price) AS price FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(at), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, item)) WHERE n <= 2 EMIT CHANGES;
INSERT INTO sums SELECT window_start, 'all', SUM(price), COUNT(*) FROM (SELECT window_start, window_end, item, SUM(price) AS price FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(at), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, item) GROUP BY window_start, window_end EMIT CHANGES;
SELECT * FROM sums;
-- An order of several directions; groups that are not of windows; rows without a window, which replace each other.
INSERT INTO sums SELECT at, item, price, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price DESC, at) AS n FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(at), INTERVAL '10' MINUTE))) WHERE n <= 2 EMIT CHANGES;
SELECT * FROM sums WHERE n <= 2 AND item <> 'all' AND ws > TIMESTAMP_NTZ '2020-04-15 08:00:00';
INSERT INTO sums SELECT MAX(window_start), item, SUM(price), COUNT(*) FROM (SELECT window_start, window_end, item, SUM(price) AS price FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(at), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, item) GROUP BY item EMIT CHANGES;
INSERT INTO sums SELECT at, item, price, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY price DESC) AS n FROM bids) WHERE n <= 2 EMIT CHANGES;
