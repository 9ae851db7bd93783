-- ksqlDB's meaning of comparisons: MAPs, texts beside times, IN; GREATEST and LEAST; STRUCTs of different fields; lambdas that fail.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (C[ST]AS|INSERTQUERY)_?[A-Z0-9_]*_\d+ => ${query}
CREATE STREAM m (id INT KEY, ma MAP<STRING,INT>, mb MAP<STRING,INT>, ams ARRAY<MAP<STRING,INT>>, d1 DATE, t1 TIMESTAMP, s1 STRING, ai ARRAY<INT>, n INT, bi BIGINT, dc DECIMAL(5,2), dbl DOUBLE) WITH (KAFKA_TOPIC = '${prefix}m', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO m (ROWTIME, id, ma, mb, ams, d1, t1, s1, ai, n, bi, dc, dbl) VALUES (1, 1, MAP('a':=1,'b':=2), MAP('b':=2,'a':=1), ARRAY[MAP('a':=1), MAP('a':=1), MAP('b':=1)], '2020-01-01', '2020-01-01T10:00:00', '2020-01-01T00:00:00', ARRAY[1,2,2], 5, 6, 1.5, 2.5);
INSERT INTO m (ROWTIME, id) VALUES (2, 2);
CREATE STREAM c1 AS SELECT id, ma IS DISTINCT FROM mb AS x, ma IS NOT DISTINCT FROM mb AS y, n IS DISTINCT FROM 5 AS z FROM m;
PRINT '${prefix}C1';
CREATE STREAM c2 AS SELECT id, ARRAY_DISTINCT(ams) AS x, ARRAY_REMOVE(ams, MAP('a':=1)) AS y, ARRAY_CONTAINS(ams, MAP('b':=1)) AS z FROM m;
PRINT '${prefix}C2';
CREATE STREAM c3 AS SELECT id, ma IN (mb) AS x, ma = mb AS y, ma <> mb AS w, ai IN (ARRAY[1,2,2]) AS q FROM m;
PRINT '${prefix}C3';
CREATE STREAM c3b AS SELECT id, ARRAY_UNION(ams, ams) AS x, ARRAY_EXCEPT(ams, ARRAY[MAP('a':=1)]) AS y, ARRAY_INTERSECT(ams, ARRAY[MAP('a':=1)]) as z FROM m;
PRINT '${prefix}C3B';
CREATE STREAM c4 AS SELECT id, GREATEST(d1, '2021-01-01') AS a, LEAST(d1, '2021-01-01') AS b, GREATEST(t1, '2021-01-01T00:00:00') AS c, GREATEST(s1, 'zzz') as e FROM m;
PRINT '${prefix}C4';
CREATE STREAM c4b AS SELECT id, GREATEST(n, bi, dbl) AS a, LEAST(n, dc) AS b, GREATEST(n, NULL, 3) c FROM m;
PRINT '${prefix}C4B';
CREATE STREAM c5 AS SELECT id, ARRAY[STRUCT(a:=1,b:='x'), STRUCT(a:=2)] AS x FROM m;
PRINT '${prefix}C5';
CREATE STREAM c5b AS SELECT id, ARRAY[STRUCT(a:=1), STRUCT(b:='q')] AS x FROM m;
PRINT '${prefix}C5B';
CREATE STREAM tgt (id INT KEY, x BIGINT, y DOUBLE, z DECIMAL(10,2), s STRUCT<a BIGINT>, ar ARRAY<BIGINT>, mp MAP<STRING, BIGINT>) WITH (KAFKA_TOPIC = '${prefix}tgt', FORMAT='JSON', PARTITIONS=1);
INSERT INTO tgt SELECT id, n AS x, n AS y, n AS z, STRUCT(a:=n) AS s, ai AS ar, ma AS mp FROM m;
PRINT '${prefix}tgt';
CREATE STREAM tgt2 (id INT KEY, z DECIMAL(6,2), y DOUBLE) WITH (KAFKA_TOPIC = '${prefix}tgt2', FORMAT='JSON', PARTITIONS=1);
INSERT INTO tgt2 SELECT id, dc AS z, bi as y FROM m;
PRINT '${prefix}tgt2';
CREATE STREAM l1 AS SELECT id, TRANSFORM(ai, x => 10 / (x - 1)) AS a, TRANSFORM(ai, x => CAST('q' AS INT)) AS b, FILTER(ai, x => 1/(x-1) > 0) AS c, REDUCE(ai, 0, (s,x) => s + 10 / (x - 1)) AS d, TRANSFORM(ma, (k,v) => k, (k,v) => 1/(v-1)) AS e FROM m;
PRINT '${prefix}L1';
CREATE STREAM bo (id INT KEY, a BOOLEAN, b BOOLEAN) WITH (KAFKA_TOPIC = '${prefix}bo', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO bo (ROWTIME, id, a, b) VALUES (1, 1, NULL, true);
INSERT INTO bo (ROWTIME, id, a, b) VALUES (2, 2, true, NULL);
INSERT INTO bo (ROWTIME, id, a, b) VALUES (3, 3, false, NULL);
CREATE STREAM c17 AS SELECT id, a AND b AS x, a OR b AS y, NOT a AS z, a AND false AS f, a OR id > 0 AS t, CASE WHEN a THEN 1 WHEN id > 0 THEN 2 ELSE 3 END AS c, CASE WHEN id > 9 OR b THEN 1 ELSE 2 END AS d FROM bo;
PRINT '${prefix}C17';
CREATE STREAM c18 AS SELECT id, a FROM bo WHERE a OR id > 0;
PRINT '${prefix}C18';
