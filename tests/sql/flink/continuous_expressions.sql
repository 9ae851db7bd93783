-- Expressions of a continuous INSERT into a table of Flink's DDL mean what they mean without EMIT CHANGES.
-- replace: /\S*/checkpoints => ${checkpoints}
-- topic: ${prefix}e partitions=1
-- record: ${prefix}e {"id":1,"a":"x","n":7,"d":99999999.99,"z":"2024-05-06 07:08:09.123Z"}
-- record: ${prefix}e {"id":2,"d":99999999.99}
SET spark.sql.session.timeZone = Asia/Kolkata;
CREATE TABLE e (id INT, a STRING, n BIGINT, d DECIMAL(10, 2), z TIMESTAMP_LTZ(3), day AS DATE_FORMAT(z, 'yyyy-MM-dd HH'),
  local AS CAST(z AS TIMESTAMP(3)), since AS FROM_UNIXTIME(n))
WITH ('connector' = 'kafka', 'topic' = '${prefix}e', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE texts (how STRING, id INT, t1 STRING, t2 STRING, t3 STRING, t4 STRING)
WITH ('connector' = 'kafka', 'topic' = '${prefix}texts', 'format' = 'json', 'PARTITIONS' = '1');
CREATE TABLE sums (all_of INT, n BIGINT, d DECIMAL(38, 2), PRIMARY KEY (all_of) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}sums', 'key.format' = 'json', 'value.format' = 'json', 'PARTITIONS' = '1');
INSERT INTO texts SELECT 'ends', id, a || '!', FROM_UNIXTIME(n), REGEXP_EXTRACT('ab12', '[0-9]+', 0), SUBSTRING(a FROM 1 FOR 1) FROM e;
INSERT INTO texts SELECT 'goes on', id, a || '!', FROM_UNIXTIME(n), REGEXP_EXTRACT('ab12', '[0-9]+', 0), SUBSTRING(a FROM 1 FOR 1) FROM e EMIT CHANGES;
INSERT INTO texts SELECT 'ends, columns', id, day, CAST(local AS STRING), since, CAST(z AS STRING) FROM e;
INSERT INTO texts SELECT 'goes on, columns', id, day, CAST(local AS STRING), since, CAST(z AS STRING) FROM e EMIT CHANGES;
INSERT INTO texts SELECT 'where', id, a, NULL, NULL, NULL FROM e WHERE a NOT IN ('y') EMIT CHANGES;
SELECT * FROM texts ORDER BY id, how;
-- A sum of NULLs is NULL, and one of DECIMALs has more digits than they.
INSERT INTO sums SELECT id, SUM(n), SUM(d) FROM e WHERE a IS NULL GROUP BY id EMIT CHANGES;
INSERT INTO sums SELECT k, SUM(n), SUM(d) FROM (SELECT 3 AS k, n, d FROM e) GROUP BY k EMIT CHANGES;
SELECT * FROM sums ORDER BY all_of;
