-- ksqlDB's `struct->*` over any expression; a lambda's arithmetic that a null element fails; records without a windowed key.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM s (k INT KEY, v STRING, s STRUCT<x INT, `y Z` STRING>, a ARRAY<STRUCT<x INT, y STRING>>, m MAP<STRING, STRUCT<p INT>>, n ARRAY<INT>)
WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s (ROWTIME, k, v, s, a, m, n) VALUES (1, 1, 'v', STRUCT(x := 1, `y Z` := 'z'), ARRAY[STRUCT(x := 2, y := 'a'), STRUCT(x := 3, y := 'b')], MAP('q' := STRUCT(p := 4)), ARRAY[5, NULL]);
INSERT INTO s (ROWTIME, k) VALUES (2, 2);
CREATE STREAM elements AS SELECT k, a[1]->*, m['q']->*, STRUCT(c := v, d := k + 1)->* FROM s;
SELECT * FROM elements;
-- A column is meant, and not the source of its name.
CREATE STREAM columns AS SELECT k, s->*, (s.s)->x AS again FROM s;
SELECT * FROM columns;
CREATE STREAM exploded AS SELECT k, EXPLODE(a)->*, v FROM s;
SELECT * FROM exploded;
CREATE TABLE latest AS SELECT k, LATEST_BY_OFFSET(s)->*, COUNT(*) AS c FROM s GROUP BY k;
SELECT * FROM latest;
SELECT a[2]->*, k FROM s EMIT CHANGES LIMIT 1;
CREATE STREAM e AS SELECT k, n[1]->* FROM s;
CREATE STREAM e AS SELECT k, a[1]->*, a[2]->* FROM s;
CREATE STREAM e AS SELECT t.*, t.s->*, t.s->* FROM s t;
CREATE STREAM nulls AS SELECT k, TRANSFORM(n, x => x + 1) AS added, TRANSFORM(n, x => ABS(x)) AS called, FILTER(n, x => x * 2 > 1) AS filtered, FILTER(n, x => x > 1) AS compared, TRANSFORM(ARRAY['a', NULL], x => x + 'b') AS texts FROM s;
SELECT * FROM nulls;
CREATE STREAM w (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}w', VALUE_FORMAT = 'JSON', PARTITIONS = 1, WINDOW_TYPE = 'TUMBLING', WINDOW_SIZE = '1 SECOND');
CREATE STREAM unwindowed (v INT) WITH (KAFKA_TOPIC = '${prefix}w', VALUE_FORMAT = 'JSON');
INSERT INTO unwindowed (ROWTIME, v) VALUES (5, 1);
CREATE STREAM copied AS SELECT * FROM w;
SELECT k, WINDOWSTART, v, ROWTIME FROM copied;
