-- Times without a zone are those of no zone: an hour that the session's zone skips is there.
CREATE TABLE z (id INT, ts TIMESTAMP(3), day DATE) WITH ('connector' = 'kafka', 'topic' = '${prefix}z', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO z VALUES (1, TIMESTAMP_NTZ '2024-03-10 02:30:00.123', DATE '2024-03-12');
SET spark.sql.session.timeZone = America/New_York;
SELECT FLOOR(ts TO HOUR) AS hour, CEIL(ts TO HOUR) AS next, FLOOR(ts TO WEEK) AS week, FLOOR(ts TO CENTURY) AS century, CEIL(ts TO DAY) AS day FROM z;
SELECT FLOOR(day TO WEEK) AS week, CEIL(day TO MONTH) AS month FROM z;
SELECT EXTRACT(EPOCH FROM ts) AS seconds, EXTRACT(EPOCH FROM day) AS of_day, EXTRACT(MILLISECOND FROM ts) AS millis, EXTRACT(EPOCH FROM TIMESTAMP '2024-07-10 02:30:00Z') AS summer FROM z;
SELECT TO_TIMESTAMP_LTZ('2024-03-10 02:30:00', 'yyyy-MM-dd HH:mm:ss', 'UTC') AS utc, TO_TIMESTAMP_LTZ('2024-07-10 02:30:00', 'yyyy-MM-dd HH:mm:ss', 'Europe/Berlin') AS berlin, TO_TIMESTAMP_LTZ('x', 'yyyy', 'UTC') AS none FROM z;
CREATE TABLE texts (ts STRING, at AS TO_TIMESTAMP(ts, 'yyyy-MM-dd HH:mm:ss.SSS'), WATERMARK FOR at AS at - INTERVAL '5' SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}z', 'format' = 'json');
SELECT at, typeof(at) AS type FROM texts;
SET spark.sql.session.timeZone = UTC;
