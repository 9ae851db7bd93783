-- A computed column has the same values in a continuous query as in others, whatever the session's time zone.
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: INSERTQUERY_\d+ => ${insert}
-- topic: ${prefix}e partitions=1
-- record: ${prefix}e {"id":1,"n":7,"z":"2024-05-06 07:08:09.123Z"}
SET spark.sql.session.timeZone = Asia/Kolkata;
CREATE TABLE e (id INT, n BIGINT, z TIMESTAMP_LTZ(3), day AS DATE_FORMAT(z, 'yyyy-MM-dd HH'), local AS CAST(z AS TIMESTAMP(3)),
  since AS FROM_UNIXTIME(n))
WITH ('connector' = 'kafka', 'topic' = '${prefix}e', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE texts (how STRING, day STRING, local TIMESTAMP(3), since STRING)
WITH ('connector' = 'kafka', 'topic' = '${prefix}texts', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO texts SELECT 'ends', day, local, since FROM e;
INSERT INTO texts SELECT 'goes on', day, local, since FROM e EMIT CHANGES;
SELECT * FROM texts ORDER BY how;
