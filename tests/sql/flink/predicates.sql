-- Flink's predicates, constants and constructors that Spark's grammar lacks or reads otherwise.
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
CREATE TABLE t (id BIGINT, name STRING, js STRING, ts TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO t VALUES (1, 'abc', '{"a":1}', TIMESTAMP_NTZ '2024-05-06 07:08:09.123'), (2, 'x.y', '[1]', NULL), (3, NULL, 'nojson', TIMESTAMP_NTZ '2024-05-05 00:00:00'),
  (4, '4_', '"5"', NULL), (5, '5', NULL, NULL), (6, 'a%', '', NULL), (7, 'xzy', '{"a":1} x', NULL);
SELECT id, js IS JSON AS j, js IS JSON VALUE AS v, js IS JSON ARRAY AS a, js IS JSON OBJECT AS o, js IS JSON SCALAR AS s, js IS NOT JSON AS n, js IS NOT JSON OBJECT AS m FROM t;
SELECT id FROM t WHERE id > 1 AND js IS NOT JSON SCALAR AND id < 4;
SELECT id, CASE WHEN JSON_QUERY(js, '$') IS JSON ARRAY THEN 'a' ELSE 'b' END AS c, NOT js IS JSON AS n FROM t WHERE (js IS JSON) OR id = 3;
SELECT id, JSON_VALUE(js, 'lax $.a' RETURNING STRING) IS JSON AS i, upper(js) || '' IS JSON AS u FROM t;
SELECT id FROM t WHERE name SIMILAR TO 'a%|x._';
SELECT id, name SIMILAR TO 'a!%' ESCAPE '!' AS s FROM t WHERE name NOT SIMILAR TO '[a-c]+' AND name SIMILAR TO '%[[:ALPHA:]]%|5';
SELECT id BETWEEN SYMMETRIC 3 AND 1 AS b FROM t WHERE id < 3;
SELECT ARRAY[id] AS a FROM t WHERE id = 1;
SELECT ARRAY[id][0] AS x, size(ARRAY['a', name]) AS n, MAP['k', id]['k'] AS m, ROW(id, 'x') AS r FROM t WHERE id = 1;
SELECT id, FLOOR(ts TO WEEK) AS w, CEIL(ts TO WEEK) AS cw, FLOOR(ts TO DECADE) AS d, CEIL(ts TO CENTURY) AS c, FLOOR(ts TO MILLENNIUM) AS m, FLOOR(CAST(ts AS DATE) TO WEEK) AS dw FROM t WHERE ts IS NOT NULL;
SELECT typeof(LOCALTIMESTAMP) AS t, LOCALTIMESTAMP > ts AS later FROM t WHERE id = 1;
SELECT TO_TIMESTAMP_LTZ('2024-01-02 03:04:05', 'yyyy-MM-dd HH:mm:ss', 'Asia/Shanghai') AS a, TO_TIMESTAMP_LTZ('x', 'yyyy-MM-dd HH:mm:ss', 'Asia/Shanghai') AS b FROM t WHERE id = 1;
SELECT CONVERT_TZ('1970-01-01 00:00:00', 'UTC', 'America/Los_Angeles') AS a, CONVERT_TZ('1970-01-01 00:00:00.5', 'UTC', 'Asia/Tokyo') AS b, CONVERT_TZ('x', 'UTC', 'Asia/Tokyo') AS c, CONVERT_TZ(TIMESTAMP '2020-01-01 00:00:00', 'UTC', 'Asia/Tokyo') AS d;
-- In computed columns, and in queries into topics.
CREATE TABLE c (s STRING, z STRING, ts AS TO_TIMESTAMP_LTZ(s, 'yyyy-MM-dd HH:mm:ss', 'Asia/Shanghai'), b AS s IS JSON, x AS LOCALTIMESTAMP, a AS ARRAY[s, ARRAY[z][0]], m AS MAP['k', z], r AS ROW(s, 1), si AS z SIMILAR TO 'a_') WITH ('connector' = 'kafka', 'topic' = '${prefix}c', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO c VALUES ('2024-01-02 03:04:05', 'ab');
SELECT s, ts, b, x IS NOT NULL AS x, a, m, r, si FROM c;
CREATE STREAM sj WITH (KAFKA_TOPIC = '${prefix}sj', VALUE_FORMAT = 'JSON', PARTITIONS = 1) AS SELECT id, ARRAY[id] AS a FROM t WHERE js IS JSON EMIT CHANGES;
SELECT * FROM sj;
-- A column of that name is the column, and texts without a topic are Spark's.
CREATE TABLE named (array ARRAY<INT>, localtimestamp STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}n', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO named VALUES (array(7, 8), 'now');
SELECT array[1] AS second, localtimestamp FROM named;
SELECT LOCALTIMESTAMP;
SELECT '{}' IS JSON;
SELECT id FROM t WHERE js IS JSON NUMBER;
SELECT id, (ts, INTERVAL '1' HOUR) OVERLAPS (TIMESTAMP_NTZ '2024-05-06 08:00:00', TIMESTAMP_NTZ '2024-05-07 00:00:00') AS o FROM t WHERE NOT (TIMESTAMP '2024-01-01 09:00:00', TIMESTAMP '2024-01-01 10:00:00') OVERLAPS (TIMESTAMP '2024-01-01 10:15:00', INTERVAL '3' HOUR) AND id < 4;
SELECT ELEMENT(ARRAY[id]) AS e FROM t WHERE id = 1;
SELECT ELEMENT(ARRAY[id, 2]) AS e FROM t WHERE id = 1;
CREATE TABLE counts (m MULTISET<STRING>, r ROW<a MULTISET<VARCHAR(3)>, b INT>) WITH ('connector' = 'kafka', 'topic' = '${prefix}m', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO counts VALUES (MAP('a', 2), NULL);
SELECT * FROM counts;
DESCRIBE counts;
-- Comparisons with the rows of a subquery.
SELECT id FROM t WHERE id = ANY (SELECT id + 1 FROM t WHERE id < 3);
SELECT id FROM t WHERE id <> ALL (SELECT id FROM t WHERE id < 6) AND name <> 'zzz' OR id = 1;
SELECT id FROM t AS o WHERE id + 1 >= ALL (SELECT i.id FROM t AS i WHERE i.id <> o.id AND i.id < 7);
SELECT id FROM t WHERE name > SOME (SELECT name FROM t WHERE id IN (1, 3));
SELECT id FROM t WHERE id > ALL (SELECT id FROM t WHERE id > 100) AND id < 3;
