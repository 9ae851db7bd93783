-- A number is not a time without its unit: what Flink refuses is refused by the function that says the unit.
-- topic: ${prefix}t partitions=1
CREATE TABLE t (rowtime BIGINT METADATA FROM 'timestamp', i INT, s STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
INSERT INTO t VALUES (1500, 1, '1970-01-01 00:00:02.5');
SELECT CAST(rowtime AS TIMESTAMP_LTZ(3)) FROM t;
SELECT CAST(rowtime AS TIMESTAMP(3)) FROM t;
SELECT TRY_CAST(rowtime AS TIMESTAMP_LTZ(3)) FROM t;
SELECT i FROM t WHERE CAST(i + 1 AS TIMESTAMP(3)) > TIMESTAMP_NTZ '1970-01-01 00:00:00';
INSERT INTO t SELECT rowtime, i, CAST(CAST(rowtime AS TIMESTAMP_LTZ(3)) AS STRING) FROM t;
CREATE VIEW v AS SELECT CAST(rowtime AS TIMESTAMP_LTZ(3)) AS c FROM t;
SELECT TO_TIMESTAMP_LTZ(rowtime, 3) AS a, CAST(TO_TIMESTAMP_LTZ(rowtime, 3) AS TIMESTAMP(3)) AS b, CAST(s AS TIMESTAMP(3)) AS c, CAST(s AS TIMESTAMP_LTZ(3)) AS d, TRY_CAST('x' AS TIMESTAMP(3)) AS e FROM t;
-- Without digits it is Spark's statement, which has seconds.
SELECT CAST(rowtime AS TIMESTAMP) AS seconds FROM t;
CREATE TABLE c (rowtime BIGINT METADATA FROM 'timestamp', c AS CAST(rowtime AS TIMESTAMP(3)), i INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE c (rowtime BIGINT METADATA FROM 'timestamp', c AS CAST(rowtime AS TIMESTAMP_LTZ(3)), i INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE c (rowtime BIGINT METADATA FROM 'timestamp', c AS TRY_CAST(rowtime AS TIMESTAMP(3)), i INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE c (rowtime BIGINT METADATA FROM 'timestamp', c AS CAST(rowtime AS DATE), i INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
