-- Internal names stay inside: results, types, errors and plans have the user's, fields of structs too.
-- replace: #\d+L? => #n
-- replace: ids=\[[^\]]*\]|plan_id=\d+ => id
-- replace: \]  golden => ] golden
-- replace: INSERT\], false.* => INSERT], …
-- replace: golden\.n, false.* => golden.n, …
-- replace: AppendData \S+ topic => AppendData topic
-- conf: spark.sql.ansi.doubleQuotedIdentifiers=true
CREATE STREAM n ("id" INT KEY, "ID" INT, s STRUCT<"a" INT, "A" INT, b STRUCT<"x" INT, "X" INT>>, l ARRAY<STRUCT<"y" INT, "Y" INT>>) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO n VALUES (1, 2, named_struct('a', 1, 'A', 2, 'b', named_struct('x', 3, 'X', 4)), array(named_struct('y', 5, 'Y', 6)));
SELECT to_json(s) AS s, to_json(struct(*)) AS whole, to_json(struct("id", s."A")) AS own FROM n;
SELECT typeof(s) AS t, typeof(array(s.b)) AS u FROM n;
SELECT s.b, s.*, l[0], coalesce(s, s) AS c, max(s) OVER () AS m FROM n;
SELECT CAST("ID" AS STRING), s."A" + 1, transform(l, e -> e) AS t, transform(l, e -> e."Y") AS y FROM n;
SELECT explode(l) FROM n;
SELECT inline(l) FROM n;
SELECT e."Y", to_json(e) AS j FROM n LATERAL VIEW explode(l) x AS e;
SELECT q.t."A", q.t.b."X" FROM (SELECT s AS t FROM n) q;
SELECT max("ID") AS top FROM n GROUP BY s HAVING max("id") < 9;
WITH c AS (SELECT s.b AS x, "ID" FROM n) SELECT c.x, d.x AS y FROM c JOIN c d ON c."ID" = d."ID";
SELECT "ID" + s FROM n;
SELECT "ID", count(*) FROM n GROUP BY "id";
SELECT s."aA" FROM n;
SELECT s."a".q FROM n;
SELECT * FROM n WHERE "ID";
SELECT "ID" FROM n HAVING "id" > 1;
SELECT "ID" / 0 FROM n;
EXPLAIN EXTENDED SELECT "id", s."A", s.b."X", l[0]."Y", transform(l, e -> e."Y") AS y FROM n WHERE s."a" = 1 AND "ID" > 1;
EXPLAIN FORMATTED SELECT "ID", s."A" FROM n WHERE s."a" = 1;
EXPLAIN COST SELECT "ID" FROM n;
EXPLAIN SELECT * FROM n;
EXPLAIN EXTENDED INSERT INTO n SELECT * FROM n;
EXPLAIN CREATE STREAM d AS SELECT "id", s."A" AS top FROM n WHERE "ID" > 1;
EXPLAIN EXTENDED SELECT "id" FROM n WHERE nosuch > 1;
