-- The key of a join's rows: the left table's whole key, the leftmost source's, ARRAYs; what `*` has of each source.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (C[ST]AS|INSERTQUERY)_?[A-Z0-9_]*_\d+ => ${query}
CREATE TABLE l (a INT PRIMARY KEY, b INT PRIMARY KEY, c STRING) WITH (KAFKA_TOPIC = '${prefix}l', FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE r (id INT PRIMARY KEY, d STRING) WITH (KAFKA_TOPIC = '${prefix}r', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO r (ROWTIME, id, d) VALUES (1, 1, 'r1');
INSERT INTO l (ROWTIME, a, b, c) VALUES (2, 1, 10, 'l1');
INSERT INTO l (ROWTIME, a, b, c) VALUES (3, 1, 20, 'l2');
INSERT INTO r (ROWTIME, id, d) VALUES (4, 1, 'r2');
CREATE TABLE fk AS SELECT l.a, l.b, c, d FROM l JOIN r ON l.a = r.id;
PRINT '${prefix}FK';
CREATE TABLE fk2 AS SELECT c, d, r.id, l.b, l.a FROM l LEFT JOIN r ON l.b = r.id;
PRINT '${prefix}FK2';
CREATE STREAM s1 (k INT KEY, v STRING, arr ARRAY<INT>, st STRUCT<f1 INT, f2 STRING>) WITH (KAFKA_TOPIC = '${prefix}s1', FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM s2 (k INT KEY, w STRING, arr ARRAY<INT>) WITH (KAFKA_TOPIC = '${prefix}s2', FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM s3 (k INT KEY, x STRING) WITH (KAFKA_TOPIC = '${prefix}s3', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s1 (ROWTIME, k, v, arr, st) VALUES (1, 1, 'a', ARRAY[1,2], STRUCT(f1:=1,f2:='q'));
INSERT INTO s2 (ROWTIME, k, w, arr) VALUES (2, 1, 'b', ARRAY[1,2]);
INSERT INTO s3 (ROWTIME, k, x) VALUES (3, 1, 'c');
INSERT INTO s1 (ROWTIME, k, v, arr) VALUES (1, 2, 'a', NULL);
CREATE STREAM j1 AS SELECT s2.k, s1.k, v, w FROM s1 JOIN s2 WITHIN 1 HOUR ON s1.k = s2.k;
PRINT '${prefix}J1';
DESCRIBE j1;
CREATE STREAM j2 AS SELECT s1.arr, v, w FROM s1 JOIN s2 WITHIN 1 HOUR ON s1.arr = s2.arr;
PRINT '${prefix}J2';
CREATE STREAM j3 AS SELECT *, s1.ROWTIME, s2.ROWTIME FROM s1 JOIN s2 WITHIN 1 HOUR ON s1.k = s2.k;
PRINT '${prefix}J3';
CREATE STREAM j4 AS SELECT * FROM s1 JOIN s2 WITHIN 1 HOUR ON s1.k = s2.k PARTITION BY s2.w;
PRINT '${prefix}J4';
DESCRIBE j4;
CREATE STREAM j4b AS SELECT * FROM s1 JOIN s2 WITHIN 1 HOUR ON s1.k = s2.k PARTITION BY s1.ROWTIME;
PRINT '${prefix}J4B';
CREATE STREAM j5b AS SELECT s3.k, v, w, x FROM s1 JOIN s2 WITHIN 1 HOUR ON s1.k + 1 = s2.k + 1 JOIN s3 WITHIN 1 HOUR ON s1.k = s3.k;
PRINT '${prefix}J5B';
CREATE STREAM j6 AS SELECT s1.k, s1.st->*, w FROM s1 JOIN s2 WITHIN 1 HOUR ON s1.k = s2.k;
PRINT '${prefix}J6';
-- Words before FROM that Spark reads under another spelling: the join keeps its WITHIN, fields their names.
CREATE STREAM j7 AS SELECT s1.k, SUBSTRING(v, 1, 1) AS one, TRIM('it''s\ ') AS t, STRUCT(a := v, b := w) AS s, s1.st->f2 FROM s1 JOIN s2 WITHIN 1 HOUR ON s1.k = s2.k;
PRINT '${prefix}J7';
-- Fields whose names Avro does not allow, in values and keys that Spark's state holds.
CREATE STREAM nl (k STRUCT<`a.b` INT, `c d` INT> KEY, v STRUCT<`x y` INT, l ARRAY<STRUCT<`1st` INT>>>) WITH (KAFKA_TOPIC = '${prefix}nl', FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE nt (k STRUCT<`a.b` INT, `c d` INT> PRIMARY KEY, w STRUCT<`x.y` INT>, fk STRUCT<`a.b` INT, `c d` INT>) WITH (KAFKA_TOPIC = '${prefix}nt', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO nt (ROWTIME, k, w, fk) VALUES (1, STRUCT(`a.b` := 1, `c d` := 2), STRUCT(`x.y` := 3), STRUCT(`a.b` := 1, `c d` := 2));
INSERT INTO nl (ROWTIME, k, v) VALUES (2, STRUCT(`a.b` := 1, `c d` := 2), STRUCT(`x y` := 4, l := ARRAY[STRUCT(`1st` := 5)]));
CREATE STREAM no AS SELECT nl.k AS k, v, w->`x.y`, v->l[1]->`1st` FROM nl JOIN nt ON nl.k = nt.k;
PRINT '${prefix}NO';
CREATE TABLE nf (k STRUCT<`a.b` INT, `c d` INT> PRIMARY KEY, u INT) WITH (KAFKA_TOPIC = '${prefix}nf', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO nf (ROWTIME, k, u) VALUES (3, STRUCT(`a.b` := 1, `c d` := 2), 6);
CREATE TABLE nfo AS SELECT nt.k AS k, w, u FROM nt JOIN nf ON nt.fk = nf.k;
PRINT '${prefix}NFO';
