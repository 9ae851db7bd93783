-- Continuous INSERTs of rows from views, of DISTINCT ones, and of several sets of groups of a window.
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: INSERTQUERY_\d+ => ${insert}
CREATE TABLE bids (id INT, item STRING, at TIMESTAMP(3), WATERMARK FOR at AS at) WITH ('connector' = 'kafka', 'topic' = '${prefix}bids', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO bids VALUES (1, 'A', TIMESTAMP_NTZ '2024-01-01 10:00:00'), (2, 'B', TIMESTAMP_NTZ '2024-01-01 11:05:00'), (3, 'B', TIMESTAMP_NTZ '2024-01-01 11:10:00'), (4, NULL, TIMESTAMP_NTZ '2024-01-01 13:05:00');
-- A view's times keep the watermark.
CREATE VIEW kept AS SELECT id, item, at FROM bids WHERE id > 0;
CREATE TEMPORARY VIEW below AS SELECT id, item, at AS time FROM kept;
CREATE TABLE counts (ws TIMESTAMP(3), item STRING, n BIGINT, isAll INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}counts', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO counts SELECT window_start, 'all', COUNT(*), 0 FROM TABLE(TUMBLE(TABLE kept, DESCRIPTOR(at), INTERVAL '1' HOUR)) GROUP BY window_start, window_end EMIT CHANGES;
INSERT INTO counts SELECT window_start, 'all', COUNT(*), 1 FROM TABLE(TUMBLE(TABLE below, DESCRIPTOR(time), INTERVAL '1' HOUR)) GROUP BY window_start, window_end EMIT CHANGES;
SELECT * FROM counts;
SELECT id, SUM(id) OVER (PARTITION BY item ORDER BY time) AS total FROM below EMIT CHANGES;
-- Sets of groups, each row of which is complete.
CREATE TABLE sets (ws TIMESTAMP(3), item STRING, n BIGINT, isAll INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}sets', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO sets SELECT window_start, item, COUNT(*), GROUPING(item) FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(at), INTERVAL '1' HOUR)) GROUP BY window_start, window_end, GROUPING SETS ((item), ()) EMIT CHANGES;
SELECT * FROM sets;
INSERT INTO sets SELECT NULL, item, COUNT(*), 0 FROM bids GROUP BY ROLLUP (item) EMIT CHANGES;
-- The first of rows that are equal.
CREATE TABLE items (item STRING, PRIMARY KEY (item) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}items', 'key.format' = 'json', 'value.format' = 'json', 'PARTITIONS' = '1');
INSERT INTO items SELECT DISTINCT item FROM bids WHERE item IS NOT NULL EMIT CHANGES;
SELECT * FROM items;
CREATE TABLE names (item STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}names', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO names SELECT DISTINCT item FROM bids EMIT CHANGES;
INSERT INTO names SELECT CONCAT('x', item) FROM bids WHERE id < 4 UNION SELECT CONCAT('x', item) FROM kept WHERE id < 4 EMIT CHANGES;
SELECT * FROM names;
-- Not of rows that are replaced.
INSERT INTO names SELECT DISTINCT item FROM items EMIT CHANGES;
INSERT INTO names SELECT DISTINCT CAST(COUNT(*) AS STRING) FROM bids GROUP BY item EMIT CHANGES;
