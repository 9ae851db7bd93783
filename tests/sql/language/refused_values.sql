-- What ksqlDB refuses in types of fields, operands and values: the error names what was looked up, and where.
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: #\d+L?(\.\d+)? => #n
-- replace: (?<=one group\. SQLSTATE: 42803); line \d+ pos \d+ =>
CREATE STREAM s (k INT KEY, a INT, st STRUCT<x INT, y STRING>, m MAP<STRING, INT>, ar ARRAY<INT>, ars ARRAY<STRUCT<q INT>>) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
-- An arrow reads a field of a STRUCT only.
CREATE STREAM o AS SELECT k, a->f FROM s;
CREATE STREAM o AS SELECT k, st->x->y FROM s;
CREATE STREAM o AS SELECT k, m->x FROM s;
CREATE STREAM o AS SELECT k, ar->x FROM s;
CREATE STREAM o AS SELECT k, ars->q FROM s;
CREATE STREAM o AS SELECT k, st->z FROM s;
SELECT m->x FROM s EMIT CHANGES;
-- Elements and fields in them.
SELECT TRANSFORM(ars, x => x->q) AS qs, ars[1]->q AS q FROM s EMIT CHANGES LIMIT 0;
-- Operands.
CREATE STREAM o AS SELECT k, a['x'] AS v FROM s;
CREATE STREAM o AS SELECT k, a + STRUCT(x := 1) AS v FROM s;
CREATE STREAM o AS SELECT k, UCASE(a) AS v FROM s;
CREATE STREAM o AS SELECT k, ABS(STRUCT(x := 1)) AS v FROM s;
CREATE STREAM o AS SELECT k, CASE WHEN a = 1 THEN STRUCT(x := 1) ELSE 5 END AS v FROM s;
CREATE STREAM o AS SELECT k, STRUCT(x := 1, x := 2) AS v FROM s;
CREATE TABLE o AS SELECT SUM(a) AS v FROM s;
-- Values.
INSERT INTO s (k, a) VALUES (1, 'x');
INSERT INTO s (k, a) VALUES (1, 3000000000);
INSERT INTO s (k, st) VALUES (1, STRUCT(x := 'q', y := 'b'));
INSERT INTO s (k, ar) VALUES (1, ARRAY['1', 'x']);
INSERT INTO s (k, a, ar, m) VALUES ('1', '7', ARRAY['8'], MAP('x' := '9'));
SELECT k, a, ar, m FROM s;
-- A lambda is an argument of a function that takes one.
CREATE STREAM o AS SELECT k, x => x AS v FROM s;
CREATE STREAM o AS SELECT k, TRANSFORM(x => x, ar) AS v FROM s;
CREATE STREAM o AS SELECT k, ARRAY[x => x] AS v FROM s;
SELECT k FROM s WHERE x => x EMIT CHANGES;
INSERT INTO s (k, a) VALUES (1, x => x);
CREATE TABLE o AS SELECT k, SUM(x => x) AS v FROM s GROUP BY k;
SELECT TRANSFORM(ar, x => REDUCE(ar, x, (y, z) => y + z)) AS v FROM s EMIT CHANGES LIMIT 0;
-- A number in GROUP BY is a value.
CREATE TABLE o AS SELECT k, COUNT(*) AS v FROM s GROUP BY 1;
SELECT 7 AS seven, COUNT(*) AS v FROM s GROUP BY 7 EMIT CHANGES LIMIT 0;
-- `*` has the key that PARTITION BY computes, so the same expression beside it is a second column of the key.
CREATE STREAM o AS SELECT *, k + 1 AS v2 FROM s PARTITION BY k + 1;
