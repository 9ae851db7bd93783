-- A text in double quotes is a column where what a topic gives has one: computed, hidden or renamed; else it is a text.
-- topic: ${prefix}q partitions=1
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
CREATE TABLE q (id INT, name STRING, upper_name AS UPPER(name)) WITH ('connector' = 'kafka', 'topic' = '${prefix}q', 'format' = 'json');
INSERT INTO q VALUES (1, 'a'), (2, 'b');
SELECT "upper_name", "ROWTIME" > 5 AS later, "ROWOFFSET", "ROWVALUE" FROM q ORDER BY "id";
SELECT "rowtime", "id " FROM q LIMIT 1;
CREATE VIEW renamed (n, what) AS SELECT id, name FROM q;
SELECT "what", "name" FROM renamed WHERE "n" > 1;
SELECT "ROWTIME" FROM renamed LIMIT 1;
CREATE TEMPORARY VIEW again AS SELECT n AS m FROM renamed;
SELECT "m" + 1 AS next FROM again ORDER BY "m";
WITH c AS (SELECT id AS x FROM q) SELECT "x" FROM c ORDER BY "x";
WITH c (y) AS (SELECT id FROM q), d AS (SELECT * FROM c) SELECT "y" FROM d ORDER BY 1;
SELECT "z" FROM (SELECT id AS z FROM q) ORDER BY "z" DESC;
SELECT id AS z, count(*) AS n FROM q GROUP BY "z" HAVING "n" > 0 ORDER BY "z";
SELECT a."id", b."what" FROM q a JOIN renamed b ON a."id" = b."n" ORDER BY "what";
SELECT name FROM q WHERE id IN (SELECT max("n") FROM renamed);
SELECT "a" = 'a' AS same, "k" FROM (SELECT 1 AS k);
SELECT e, "e" AS also FROM q LATERAL VIEW explode(array("upper_name", "text")) AS e ORDER BY 1;
SELECT "what" FROM renamed EMIT CHANGES LIMIT 1;
SET spark.sql.ansi.doubleQuotedIdentifiers = true;
SELECT "upper_name" FROM q LIMIT 1;
