-- Any character in a name, both quotes, doubled to escape; and what names cannot be.
-- topic: ${prefix}n partitions=1
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
CREATE STREAM n ("a.b" INT, `SELECT` STRING, "ROWKEY" INT, "🙂 ü" STRING, "say ""hi""" INT, `tick``s` INT, "x->y" INT, "COL_0" INT)
WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON');
INSERT INTO n ("a.b", "SELECT", "ROWKEY", "🙂 ü", "say ""hi""", `tick``s`, "x->y", col_0) VALUES (1, 'two', 3, 'vier', 5, 6, 7, 8);
SELECT * FROM n;
SELECT "a.b", `SELECT`, n."ROWKEY", "🙂 ü", "say ""hi""", "tick`s", "x->y", COL_0 FROM n EMIT CHANGES;
SELECT "a.b" + 1, "say ""hi""" AS `a "b"` FROM n WHERE `tick``s` = 6;
CREATE STREAM m AS SELECT "a.b", lower("SELECT"), "x->y" AS "select" FROM n;
DESCRIBE m;
PRINT '${prefix}m';
CREATE STREAM e ("" INT) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON');
CREATE STREAM e (a INT, b INT, a STRING) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON');
SELECT "a.c" FROM n;
CREATE STREAM e WITH (VALUE_FORMAT = 'AVRO') AS SELECT "a.b", named_struct('x y', 1, 'z', named_struct('é', 2)) AS s FROM n;
CREATE STREAM e WITH (VALUE_FORMAT = 'AVRO') AS SELECT "a.b" AS a, "a.b" AS a FROM n;
CREATE STREAM at (k INT KEY, v@x INT) WITH (KAFKA_TOPIC = '${prefix}at', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO at (k, v@x) VALUES (1, 2);
SELECT v@x AS "v@y", at.v@x + 1 AS z FROM at WHERE v@x > 1 EMIT CHANGES;
SELECT `v@x` FROM at;
CREATE STREAM e AS SELECT v@x, k AS v@y FROM at PARTITION BY v@x;
PRINT '${prefix}e';
SHOW STREAMS;
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
