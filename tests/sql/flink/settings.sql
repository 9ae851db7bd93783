-- SET and RESET of Flink's client.
SET 'table.local-time-zone' = 'Asia/Tokyo';
SET spark.sql.session.timeZone;
CREATE TABLE t (z TIMESTAMP_LTZ(3)) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO t VALUES (TIMESTAMP'2024-01-01 00:00:00Z');
SELECT CAST(z AS STRING) AS z FROM t;
RESET 'table.local-time-zone';
SELECT CAST(z AS STRING) AS z FROM t;
SET 'table.local-time-zone' = 'GMT-03:00';
SELECT CAST(z AS STRING) AS z FROM t;
SET 'table.local-time-zone' = 'default';
SELECT CAST(z AS STRING) AS z FROM t;
SET 'table.local-time-zone' = 'nowhere';
SET 'execution.runtime-mode' = 'batch';
RESET 'execution.runtime-mode';
SELECT CAST(z AS STRING) AS z FROM t;
