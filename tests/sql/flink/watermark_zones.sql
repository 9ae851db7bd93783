-- A watermark's column without a time zone stays the same time in a continuous query, whatever the session's zone, and
-- its days begin at midnight.
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: INSERTQUERY_\d+ => ${insert}
-- topic: ${prefix}w partitions=1
-- record: ${prefix}w {"id":1,"n":"2024-01-01 17:10:00","z":"2024-01-01 17:10:00Z"}
-- record: ${prefix}w {"id":2,"n":"2024-03-10 02:30:00","z":"2024-03-10 02:30:00Z"}
-- record: ${prefix}w {"id":3,"n":"2024-03-10 23:59:59.999","z":"2024-03-10 23:59:59.999Z"}
SET spark.sql.session.timeZone = America/New_York;
CREATE TABLE w (id INT, n TIMESTAMP(3), z TIMESTAMP_LTZ(3), later AS n + INTERVAL '1' HOUR, WATERMARK FOR n AS n)
WITH ('connector' = 'kafka', 'topic' = '${prefix}w', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE copied (id INT, n TIMESTAMP(3), day TIMESTAMP(3), hours INT, later TIMESTAMP(3), z TIMESTAMP(3), text STRING, date DATE, ltz TIMESTAMP_LTZ(3))
WITH ('connector' = 'kafka', 'topic' = '${prefix}copied', 'format' = 'json', 'PARTITIONS' = '1');
CREATE TABLE days (start TIMESTAMP(3), until TIMESTAMP(3), PRIMARY KEY (start) NOT ENFORCED, total BIGINT, last TIMESTAMP(3))
WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}days', 'key.format' = 'json', 'value.format' = 'json', 'PARTITIONS' = '1');
CREATE TABLE hops (start TIMESTAMP(3), until TIMESTAMP(3), id INT)
WITH ('connector' = 'kafka', 'topic' = '${prefix}hops', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO copied SELECT id, n, date_trunc('DAY', n), hour(n), later, z, n, n, n FROM w WHERE n >= TIMESTAMP '2024-01-01 17:10:00' EMIT CHANGES;
SELECT * FROM copied ORDER BY id;
INSERT INTO days SELECT window_start, window_end, COUNT(*), MAX(n)
FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(n), INTERVAL '1' DAY)) GROUP BY window_start, window_end EMIT CHANGES;
SELECT * FROM days ORDER BY start;
-- Overlapping and cumulative windows.
INSERT INTO hops SELECT window_start, window_end, id
FROM TABLE(HOP(TABLE w, DESCRIPTOR(n), INTERVAL '12' HOUR, INTERVAL '1' DAY)) EMIT CHANGES;
SELECT * FROM hops ORDER BY id, start;
INSERT INTO hops SELECT window_start, window_end, -id
FROM TABLE(CUMULATE(TABLE w, DESCRIPTOR(n), INTERVAL '12' HOUR, INTERVAL '1' DAY)) EMIT CHANGES;
SELECT * FROM hops WHERE id < 0 ORDER BY id DESC, until;
