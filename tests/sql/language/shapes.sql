-- What a query into a topic cannot have, by name; and the other ways of writing a query.
-- conf: spark.kafkalyst.query.restart.attempts=0
-- replace: C[ST]AS_[A-Z_0-9]+_\d+|INSERTQUERY_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM a (k INT KEY, v STRING, n INT) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM b (k INT KEY, v STRING, n INT) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO a VALUES (1, 'x', 2);
CREATE STREAM r AS SELECT DISTINCT k, v FROM a;
CREATE STREAM r AS SELECT k, v FROM a UNION SELECT k, v FROM b;
CREATE TABLE r AS SELECT k, v, sum(n) AS n FROM a GROUP BY CUBE (k, v) EMIT CHANGES;
CREATE TABLE r AS SELECT k, v, sum(n) AS n FROM a GROUP BY k, v WITH ROLLUP EMIT CHANGES;
CREATE TABLE r AS SELECT * FROM (SELECT k, v, n FROM a) PIVOT (sum(n) FOR v IN ('x', 'y')) EMIT CHANGES;
CREATE STREAM r AS SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY n) AS r FROM a;
SELECT k, row_number() OVER (PARTITION BY k ORDER BY n) AS r FROM a EMIT CHANGES;
INSERT INTO b SELECT DISTINCT k, v, n FROM a EMIT CHANGES;
INSERT INTO b (k, v) SELECT k, v FROM a EMIT CHANGES;
INSERT INTO TABLE b SELECT * FROM a EMIT CHANGES;
CREATE STREAM whole AS TABLE a;
INSERT INTO b TABLE a EMIT CHANGES;
INSERT INTO b FROM a SELECT k, v, n + 1 AS n EMIT CHANGES;
INSERT INTO b WITH c AS (SELECT * FROM a) SELECT k, v, n + 2 AS n FROM c EMIT CHANGES;
SELECT * FROM whole;
SELECT * FROM b ORDER BY n;
SELECT DISTINCT v FROM a EMIT CHANGES LIMIT 1;
-- STRUCTs in one ARRAY or MAP get all fields, also within.
CREATE STREAM merges (k INT KEY, st STRUCT<a INT, b STRUCT<x INT>>) WITH (KAFKA_TOPIC = '${prefix}merges', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO merges VALUES (1, named_struct('a', 1, 'b', named_struct('x', 2))), (2, NULL);
CREATE STREAM merged AS SELECT k, ARRAY[st, STRUCT(b := STRUCT(y := 'q', x := 2.5), c := 3)] AS arr, MAP('a' := STRUCT(b := STRUCT(z := 1)), 'b' := st) AS m FROM merges;
SELECT * FROM merged;
-- UNION ALL over tables: replaced rows and tombstones would stay, in a topic, in a table of files and in groups.
CREATE TABLE t (k INT PRIMARY KEY, n INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t VALUES (1, 1);
INSERT INTO t VALUES (1, 2);
CREATE STREAM un AS SELECT k, n FROM t UNION ALL SELECT k, n FROM t WHERE n > 0;
CREATE STREAM both (k INT KEY, n INT) WITH (KAFKA_TOPIC = '${prefix}both', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO both SELECT k, n FROM a UNION ALL SELECT k, n FROM t EMIT CHANGES;
CREATE TABLE counted AS SELECT k, count(*) AS c FROM (SELECT k FROM t UNION ALL SELECT k FROM t) GROUP BY k EMIT CHANGES;
SELECT k, count(*) AS c FROM (SELECT k FROM t UNION ALL SELECT k FROM t) GROUP BY k EMIT CHANGES;
CREATE TABLE files (k INT, n INT) USING parquet;
INSERT INTO files SELECT k, n FROM t UNION ALL SELECT k, n FROM t EMIT CHANGES;
INSERT INTO files SELECT t.k, f.n FROM t JOIN files f ON t.k = f.k EMIT CHANGES;
CREATE TABLE files_of USING parquet AS SELECT k, n FROM t UNION ALL SELECT k, n FROM a EMIT CHANGES;
INSERT INTO files WITH (QUERY_ID = 'both_streams', TRIGGER = 'available-now') SELECT k, n FROM a UNION ALL SELECT k, n FROM b EMIT CHANGES;
SELECT * FROM files;
TERMINATE ALL;
DROP TABLE files;
DROP STREAM both DELETE TOPIC;
DROP TABLE t DELETE TOPIC;
