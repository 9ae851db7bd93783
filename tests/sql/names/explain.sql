-- Plans show the names that the user knows, also of columns that Spark could not hold beside each other.
-- replace: #\d+L? => #n
-- replace: ids=\[[^\]]*\]|plan_id=\d+ => id
-- conf: spark.kafkalyst.identifiers=upper
CREATE STREAM n ("id" INT KEY, "ID" INT, "Id" STRING, other INT) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO n VALUES (1, 2, 'x', 5), (3, 4, 'x', 5);
EXPLAIN SELECT "id", "ID" + 1 AS x FROM n WHERE "Id" = 'x' AND "ID" > 3;
SELECT "id", "ID" + 1 AS x FROM n WHERE "Id" = 'x' AND "ID" > 3;
EXPLAIN SELECT "Id", max("ID") AS top, max("id") AS low FROM n GROUP BY "Id";
SELECT "Id", max("ID") AS top, max("id") AS low FROM n GROUP BY "Id";
