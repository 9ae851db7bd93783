-- Texts of computed columns are Flink's: a backslash is a character like all others. Times without a zone are UTC's.
-- conf: spark.sql.session.timeZone=Asia/Tokyo
CREATE TABLE t (s STRING, n BIGINT,
  digits AS REGEXP_EXTRACT(s, '(\d+)', 1),
  path AS CONCAT('C:\temp', s),
  quoted AS 'it''s',
  both AS '\d''\w',
  like_ AS s LIKE 'a\%',
  word AS U&'\00e9\0027',
  similar_ AS s SIMILAR TO '[a-z]+\.\d+',
  split_ AS SPLIT_INDEX('a\b', '\b', 0),
  at AS TO_TIMESTAMP_LTZ('2024-01-01 00:00:00'),
  formatted AS TO_TIMESTAMP_LTZ('01.02.2024 03:04', 'dd.MM.yyyy HH:mm'),
  zoned AS TO_TIMESTAMP_LTZ('2024-01-01 00:00:00', 'yyyy-MM-dd HH:mm:ss', 'Asia/Tokyo'),
  millis AS TO_TIMESTAMP_LTZ(n),
  seconds AS TO_TIMESTAMP_LTZ(COALESCE(n, 0), 0),
  invalid AS TO_TIMESTAMP_LTZ('x')
) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO t VALUES ('ab.12', 1000);
SELECT digits, path, quoted, both, like_, word, similar_, split_ FROM t;
SELECT at, formatted, zoned, millis, seconds, invalid FROM t;
ALTER TABLE t ADD dot AS REPLACE(s, '.', '\.');
SELECT dot FROM t;
CREATE TABLE copied LIKE t;
SELECT digits, path, dot FROM copied;
SHOW CREATE TABLE copied AS FLINK;
-- A query is Spark's, and so are its texts.
SELECT REGEXP_EXTRACT(s, '(\\d+)', 1) AS digits FROM t;
CREATE STREAM ours (s STRING, digits AS REGEXP_EXTRACT(s, '(\\d+)', 1)) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
SELECT digits FROM ours;
