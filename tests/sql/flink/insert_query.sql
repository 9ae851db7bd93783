-- INSERT INTO … SELECT … EMIT CHANGES into tables of Flink's DDL: upserts by key, and complete windows.
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: file:\S*/checkpoints => ${checkpoints}
-- replace: #\d+L? => #n
-- replace: INSERTQUERY_\d+ => ${insert}
-- replace: (TOTALS|BY_N|BIG|COPIED|CHANGED)_\w+ => ${id}
CREATE TABLE orders (id INT, region STRING, amount DOUBLE, at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', WATERMARK FOR at AS at - INTERVAL '1' MINUTE) WITH ('connector' = 'kafka', 'topic' = '${prefix}orders', 'PARTITIONS' = '1', 'format' = 'json');
INSERT INTO orders VALUES (1, 'eu', 10.0, TIMESTAMP'2024-01-01 00:00:00'), (2, 'us', 5.0, TIMESTAMP'2024-01-01 00:00:10'), (3, 'eu', 2.5, TIMESTAMP'2024-01-01 00:01:10'), (4, NULL, 2.5, TIMESTAMP'2024-01-01 00:01:11'), (5, 'eu', 7.0, TIMESTAMP'2024-01-01 00:05:00');
CREATE TABLE totals (region STRING, n BIGINT, total DOUBLE, PRIMARY KEY (region) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}totals', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO totals WITH (QUERY_ID = 'totals_${prefix}') SELECT region, COUNT(*), SUM(amount) FROM orders GROUP BY region EMIT CHANGES;
SELECT * FROM totals;
-- Groups of a table: a group that has lost its rows is deleted, and MAX and MIN lose values.
CREATE TABLE by_n (n BIGINT, c BIGINT, mx STRING, mn STRING, PRIMARY KEY (n) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}by_n', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO by_n WITH (QUERY_ID = 'by_n_${prefix}') SELECT n, COUNT(*), MAX(region), MIN(region) FROM totals GROUP BY n EMIT CHANGES;
SELECT * FROM by_n;
-- A filter of a table; the key is the second column of the other table.
CREATE TABLE big (n INT, region STRING, PRIMARY KEY (region) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}big', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO big WITH (QUERY_ID = 'big_${prefix}') SELECT n, region FROM totals WHERE total < 10 EMIT CHANGES;
SELECT * FROM big;
INSERT INTO orders VALUES (6, 'us', 10.0, TIMESTAMP'2024-01-01 00:06:00'), (7, 'us', 10.0, TIMESTAMP'2024-01-01 00:06:00');
RESUME totals_${prefix};
RESUME by_n_${prefix};
RESUME big_${prefix};
SELECT * FROM totals;
SELECT * FROM by_n;
SELECT * FROM big;
PRINT '${prefix}big' FROM BEGINNING;
-- Each row of a stream is the new row of its key.
CREATE TABLE copied (region STRING, id BIGINT, PRIMARY KEY (region) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}copied', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO copied SELECT region, id FROM orders WHERE region IS NOT NULL EMIT CHANGES;
SELECT * FROM copied;
-- Joins of tables and with them.
CREATE TABLE joined (n BIGINT, id BIGINT, region STRING, PRIMARY KEY (region) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}joined', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO joined SELECT t.n, c.id, t.region FROM totals t JOIN copied c ON t.region = c.region EMIT CHANGES;
SELECT * FROM joined;
INSERT INTO joined SELECT o.id, t.n, o.region FROM orders o JOIN totals FOR SYSTEM_TIME AS OF o.at AS t ON o.region = t.region EMIT CHANGES;
-- Windows that are complete, each once; in a table without a key too, with the group of NULL.
CREATE TABLE windows (ws TIMESTAMP_LTZ(3), we TIMESTAMP_LTZ(3), region STRING, n BIGINT) WITH ('connector' = 'kafka', 'topic' = '${prefix}windows', 'PARTITIONS' = '1', 'format' = 'json');
INSERT INTO windows SELECT window_start, window_end, region, COUNT(*) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, region EMIT CHANGES;
INSERT INTO windows SELECT window_start, window_end, 'cumulated', COUNT(*) FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(at), INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)) GROUP BY window_start, window_end HAVING COUNT(*) > 2 EMIT CHANGES;
INSERT INTO windows SELECT TUMBLE_START(at, INTERVAL '1' MINUTE), TUMBLE_END(at, INTERVAL '1' MINUTE), 'grouped', COUNT(*) FROM orders GROUP BY TUMBLE(at, INTERVAL '1' MINUTE) EMIT CHANGES;
INSERT INTO windows SELECT window_start, window_end, UPPER(region), COUNT(*) FROM TABLE(SESSION(TABLE orders PARTITION BY region, DESCRIPTOR(at), INTERVAL '2' MINUTE)) GROUP BY window_start, window_end, region EMIT CHANGES;
SELECT * FROM windows ORDER BY region, ws, we;
CREATE TABLE per_window (region STRING, ws TIMESTAMP_LTZ(3), we TIMESTAMP_LTZ(3), n BIGINT, PRIMARY KEY (ws, we, region) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}per_window', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO per_window SELECT region, window_start, window_end, COUNT(*) FROM TABLE(HOP(TABLE orders, DESCRIPTOR(at), INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)) GROUP BY window_start, window_end, region EMIT CHANGES;
SELECT * FROM per_window WHERE region = 'us';
-- Interval joins.
CREATE TABLE payments (id INT, amount DOUBLE, at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', WATERMARK FOR at AS at) WITH ('connector' = 'kafka', 'topic' = '${prefix}payments', 'PARTITIONS' = '1', 'format' = 'json');
INSERT INTO payments VALUES (1, 7, TIMESTAMP'2024-01-01 00:00:02'), (2, 7, TIMESTAMP'2024-01-01 00:03:00');
-- Columns by position, the key among the value's, a record's time and headers.
CREATE TABLE paid (amount DOUBLE, id INT, t TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', h MAP<STRING, BYTES> METADATA FROM 'headers') WITH ('connector' = 'kafka', 'topic' = '${prefix}paid', 'PARTITIONS' = '1', 'key.format' = 'json', 'key.fields' = 'id', 'value.format' = 'json');
INSERT INTO paid SELECT p.amount, o.id, p.at, map('by', CAST('card' AS BYTES)) FROM orders o JOIN payments p ON o.id = p.id AND p.at BETWEEN o.at AND o.at + INTERVAL '1' MINUTE EMIT CHANGES;
INSERT INTO paid SELECT amount + 1, id + 1, t + INTERVAL '1' HOUR, h FROM paid EMIT CHANGES;
SELECT amount, id, t, size(h) FROM paid;
PRINT '${prefix}paid' FROM BEGINNING;
-- Changes of a log.
CREATE TABLE log (id INT, name STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}log', 'PARTITIONS' = '1', 'format' = 'debezium-json');
CREATE TABLE changed (name STRING, id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}changed', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO log (id, name, _tombstone) VALUES (1, 'a', false), (2, 'b', false), (1, 'a', true);
INSERT INTO changed SELECT name, id FROM log EMIT CHANGES;
SELECT * FROM changed;
INSERT INTO changed SELECT MAX(name), id + 10 FROM log GROUP BY id + 10 EMIT CHANGES;
SELECT * FROM changed;
-- A table of our own DDL.
CREATE TABLE own (region STRING PRIMARY KEY, n BIGINT) WITH (KAFKA_TOPIC = '${prefix}own', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
EXECUTE STATEMENT SET BEGIN INSERT INTO own SELECT region, COUNT(*) FROM orders GROUP BY region EMIT CHANGES; INSERT INTO copied SELECT region, 0 FROM totals EMIT CHANGES; END;
SELECT * FROM own;
SELECT * FROM copied;
-- Some of the columns, and EXPLAIN.
INSERT INTO totals (n, region) SELECT COUNT(*) * 10, region FROM orders GROUP BY region EMIT CHANGES;
SELECT * FROM totals;
EXPLAIN INSERT INTO totals (n, region) SELECT COUNT(*), region FROM orders GROUP BY region EMIT CHANGES;
EXPLAIN INSERT INTO totals (n, total) SELECT id, 2 FROM orders EMIT CHANGES;
INSERT INTO totals (n, x) SELECT id, region FROM orders EMIT CHANGES;
INSERT INTO totals (n, n) SELECT id, region FROM orders EMIT CHANGES;
INSERT INTO totals (n, region) SELECT id, region, 3 FROM orders EMIT CHANGES;
INSERT INTO totals (region, n) SELECT COUNT(*), region FROM orders GROUP BY region EMIT CHANGES;
-- What does not fit.
INSERT INTO totals SELECT * FROM totals UNION ALL SELECT * FROM totals EMIT CHANGES;
INSERT INTO totals SELECT COUNT(*), region, SUM(amount) FROM orders GROUP BY region EMIT CHANGES;
INSERT INTO totals SELECT region, COUNT(*), id FROM orders GROUP BY region, id EMIT CHANGES;
INSERT INTO totals SELECT CAST(n AS STRING), n, total FROM totals EMIT CHANGES;
INSERT INTO totals SELECT 'x', COUNT(*), 1 FROM orders GROUP BY region EMIT CHANGES;
INSERT INTO totals SELECT COUNT(*), 1, 1 FROM orders EMIT CHANGES;
INSERT INTO totals SELECT region, COUNT(*) FROM orders GROUP BY region EMIT CHANGES;
INSERT INTO totals SELECT region, MAX(at), 1 FROM orders GROUP BY region EMIT CHANGES;
INSERT INTO totals SELECT region, id, 1 FROM orders PARTITION BY region EMIT CHANGES;
INSERT INTO totals SELECT region, COUNT(*), 1 FROM orders WINDOW TUMBLING (SIZE 1 MINUTE) GROUP BY region EMIT CHANGES;
INSERT INTO windows SELECT NULL, NULL, region, id FROM orders GROUP BY region, id EMIT CHANGES;
INSERT INTO paid SELECT n, n, NULL, NULL FROM by_n EMIT CHANGES;
CREATE TABLE events (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = '${prefix}events', 'PARTITIONS' = '1', 'format' = 'debezium-json');
INSERT INTO events SELECT n, mx FROM by_n EMIT CHANGES;
INSERT INTO events SELECT id, region FROM orders WHERE id < 3 EMIT CHANGES;
SELECT * FROM events;
SET spark.kafkalyst.dialect=ksqldb;
INSERT INTO `totals` SELECT `region`, `id`, `amount` FROM `orders` EMIT CHANGES;
