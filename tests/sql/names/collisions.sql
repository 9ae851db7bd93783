-- Names that differ only in case, top-level and nested, with Spark's default settings.
-- topic: ${prefix}c partitions=1
-- record: ${prefix}c {"id": 1, "ID": "one", "s": {"x": 10, "X": "ten"}, "a": [{"y": 1, "Y": 2}], "m": {"k": {"z": 5, "Z": 6}}}
-- record: ${prefix}c {"id": 2, "ID": "two", "s": {"x": 20, "X": "twenty"}, "a": [], "m": {}}
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
CREATE STREAM c ("id" INT, "ID" STRING, s STRUCT<"x" INT, "X" STRING>, a ARRAY<STRUCT<"y" INT, "Y" INT>>,
  m MAP<STRING, STRUCT<"z" INT, "Z" INT>>)
WITH (KAFKA_TOPIC = '${prefix}c', VALUE_FORMAT = 'JSON');
SELECT * FROM c;
SELECT "ID", "id" FROM c WHERE "id" > 1;
SELECT Id FROM c;
SELECT c."ID" AS name, s."X", s.x, c.s."x" FROM c ORDER BY "id" DESC;
SELECT a."Y", get(a, 0)."y", transform(a, e -> e."Y") AS t, m['k']."Z" FROM c ORDER BY s.x;
SELECT "ID" FROM c ORDER BY "id" DESC;
SELECT "id", count(*) AS n, max("ID") AS most FROM c GROUP BY "id" HAVING max("ID") > 'p';
SELECT l."ID", r."id" FROM c l JOIN c r ON l."id" = r."id" ORDER BY r."id";
SELECT "ID" FROM c JOIN (SELECT "id" AS k FROM c) d ON c."id" = d.k ORDER BY d.k;
WITH w AS (SELECT "ID", "id" FROM c) SELECT "ID" FROM w WHERE "id" = 1;
SELECT "ID", row_number() OVER (ORDER BY "id" DESC) AS n FROM c ORDER BY n;
SELECT "id" + 1 AS next, next + 1 AS later FROM c ORDER BY next;
SELECT "ID" FROM c WHERE "id" IN (SELECT "id" FROM c WHERE "ID" = 'two');
SELECT "ID" FROM c WHERE EXISTS (SELECT 1 FROM c d WHERE d."id" = c."id" + 1);
SELECT "ID" FROM c UNION ALL SELECT "ID" FROM c WHERE "id" = 1;
INSERT INTO c ("ID", "id") VALUES ('three', 3);
INSERT INTO c ("Id") VALUES (4);
SELECT "id", "ID", s FROM c WHERE "id" = 3;
CREATE STREAM d AS SELECT "ID", "id", s FROM c;
DESCRIBE d;
SELECT * FROM d ORDER BY "id";
DESCRIBE EXTENDED c;
SELECT nope FROM c;
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
