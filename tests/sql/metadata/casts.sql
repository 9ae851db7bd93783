-- METADATA columns are cast explicitly, as Flink does it: texts of times and maps, lengths, precisions.
CREATE TABLE w (id BIGINT, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', h MAP<STRING, BYTES> METADATA FROM 'headers') WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO w VALUES (1, TIMESTAMP '2020-01-01 00:00:00', MAP('h', X'3737')), (2, TIMESTAMP '2020-01-01 10:05:06.789', MAP('a', X'62', 'b', CAST(NULL AS BINARY)));
CREATE TABLE texts (
  at STRING METADATA FROM 'timestamp' VIRTUAL,
  h STRING METADATA FROM 'headers' VIRTUAL,
  kind CHAR(12) METADATA FROM 'timestamp-type' VIRTUAL,
  o CHAR(3) METADATA FROM 'offset' VIRTUAL,
  id BIGINT
) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
SELECT at, h, CONCAT(kind, '.'), CONCAT(o, '.') FROM texts;
CREATE TABLE cut (
  at VARCHAR(10) METADATA FROM 'timestamp' VIRTUAL,
  h CHAR(4) METADATA FROM 'headers' VIRTUAL,
  kind VARBINARY(6) METADATA FROM 'timestamp-type' VIRTUAL,
  o BOOLEAN METADATA FROM 'offset' VIRTUAL,
  id BIGINT
) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
SELECT * FROM cut;
CREATE TABLE times (id BIGINT, at TIMESTAMP(0) METADATA FROM 'timestamp' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
SELECT * FROM times;
CREATE TABLE dates (id BIGINT, at DATE METADATA FROM 'timestamp' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
SELECT * FROM dates;
CREATE TABLE maps (id BIGINT, h MAP<STRING, STRING> METADATA FROM 'headers' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
SELECT * FROM maps;
CREATE TABLE x (id BIGINT, h ARRAY<STRING> METADATA FROM 'headers' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (id BIGINT, h MAP<STRING, INT> METADATA FROM 'headers' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (id BIGINT, at INT METADATA FROM 'timestamp' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (id BIGINT, o TIMESTAMP(3) METADATA FROM 'offset' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
