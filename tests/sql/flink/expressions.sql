-- Flink's own expressions in queries over topics.
-- topic: ${prefix}k partitions=1
CREATE TABLE f (a INT, b INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}k', 'key.format' = 'json', 'key.fields' = 'a, b', 'value.format' = 'json');
CREATE TABLE f (a INT, b INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}k', 'key.format' = 'json', 'key.fields' = 'a;b', 'value.format' = 'json');
INSERT INTO f VALUES (1, 2);
SELECT MAP['a', a, 'b', b] AS m, ARRAY[a, b] AS l, ARRAY[1, 2][1] AS second, ROW(a, 'x') AS r FROM f;
SELECT CAST('2020-01-01 00:00:00' AS TIMESTAMP(3)) AS ntz, CAST('2020-01-01 00:00:00' AS TIMESTAMP_LTZ(3)) AS ltz FROM f;
SELECT TO_TIMESTAMP_LTZ(a * 1000, 3) AS millis, TO_TIMESTAMP_LTZ(b, 0) AS seconds FROM f WHERE TO_TIMESTAMP_LTZ(1000, 3) > TIMESTAMP '1970-01-01 00:00:00';
SELECT TO_TIMESTAMP_LTZ('2020-01-01', 'yyyy-MM-dd') AS parsed FROM f;
SELECT ROW(1, 2) AS r;
-- Functions.
CREATE TABLE g (k STRING, n INT, a ARRAY<INT>, at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL, WATERMARK FOR at AS at) WITH ('connector' = 'kafka', 'topic' = '${prefix}g', 'format' = 'json', 'PARTITIONS' = '1', 'scan.watermark.emit.strategy' = 'on-periodic', 'scan.watermark.idle-timeout' = '1 min');
INSERT INTO g VALUES ('x', 1, ARRAY(1, 2, 3, 4)), ('x', 1, ARRAY()), ('x', 2, NULL), ('y', NULL, ARRAY(1));
SELECT k, COLLECT(n) AS counts FROM g GROUP BY k;
SELECT COLLECT(n) AS none FROM g WHERE n > 9;
SELECT ARRAY_SLICE(a, 2, 3) AS a, ARRAY_SLICE(a, -2, -1) AS b, ARRAY_SLICE(a, 0) AS c, ARRAY_SLICE(a, 3, 1) AS d, ARRAY_SLICE(a, -9, 2) AS e, ARRAY_SLICE(a, 9) AS f, ARRAY_SLICE(a, 1, -9) AS g FROM g;
