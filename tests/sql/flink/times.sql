-- CAST to TIME and comparisons of TIMEs over topics, without the setting that Spark's own need.
-- spark: 4.1 4.2
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_Q_\d+ => CSAS_Q_n
-- topic: ${prefix}k partitions=1
-- record: ${prefix}k {"s":"00:00:01","t":"10:11:12","ts":"2024-01-01 10:11:12.5","z":"2024-01-01 10:11:12Z"}
-- record: ${prefix}k {}
CREATE TABLE k (s STRING, t TIME(3), ts TIMESTAMP(3), z TIMESTAMP_LTZ(3), c AS CAST(s AS TIME(3))) WITH ('connector' = 'kafka', 'topic' = '${prefix}k', 'format' = 'json');
SELECT CAST(s AS TIME) AS a, CAST(s AS TIME(0)) AS b, CAST(t AS TIME(0)) AS c, CAST(ts AS TIME(0)) AS d, CAST(ts AS TIME(3)) AS e, CAST(NULL AS TIME(0)) AS f FROM k;
SELECT s, c, CAST(c AS STRING) AS text, MAX(c) AS most FROM k GROUP BY s, c;
SET spark.sql.session.timeZone = Asia/Tokyo;
SELECT CAST(z AS TIME(0)) AS of_zone, CAST(ts AS TIME(0)) AS of_none FROM k;
RESET spark.sql.session.timeZone;
SELECT s FROM k WHERE t > TIME '10:00:00' AND t BETWEEN TIME '10:11:12' AND TIME '11:00:00' AND t = CAST('10:11:12' AS TIME(6));
SELECT CAST('noon' AS TIME) FROM k;
SELECT TRY_CAST('noon' AS TIME) AS n FROM k;
SELECT CAST(DATE '2024-01-01' AS TIME) FROM k;
SELECT HOUR(t) AS h, MINUTE(t) AS m, SECOND(t) AS s, EXTRACT(HOUR FROM t) AS eh, EXTRACT(SECOND FROM CAST('10:11:12.5' AS TIME(3))) AS es, HOUR(ts) AS hts, EXTRACT(SECOND FROM ts) AS ets FROM k WHERE s IS NOT NULL;
SELECT HOUR(ts) AS h, count(*) AS n FROM k GROUP BY HOUR(ts) HAVING HOUR(ts) > 1 ORDER BY HOUR(ts);
CREATE VIEW v AS SELECT CAST(s AS TIME(0)) AS x FROM k;
SELECT x FROM v WHERE x IS NOT NULL;
INSERT INTO k SELECT 'a', CAST(t AS TIME(0)), CAST(u AS TIMESTAMP(3)), NULL FROM (VALUES ('00:00:01.5', '2024-01-01 00:00:00.123')) AS x (t, u);
INSERT INTO k VALUES ('b', CAST('00:00:02' AS TIME), NULL, NULL);
SELECT s, t, ts FROM k WHERE s IN ('a', 'b');
-- In a continuous query, too.
CREATE STREAM q WITH (KAFKA_TOPIC = '${prefix}q', VALUE_FORMAT = 'JSON', PARTITIONS = 1) AS SELECT s, CAST(ts AS TIME(0)) AS t FROM k WHERE s IS NOT NULL;
SELECT * FROM q;
-- Texts of others are as they were.
SELECT CAST('00:00:01' AS TIME);
SELECT * FROM VALUES (CAST('00:00:01' AS TIME));
