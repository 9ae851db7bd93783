-- Joins as ksqlDB has them where Spark's dialect allows more, or counts otherwise.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE TABLE t (k INT PRIMARY KEY, f INT, v INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE t2 (k INT PRIMARY KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}t2', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE t3 (k INT PRIMARY KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}t3', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t (k, f, v) VALUES (1, 3, 10);
INSERT INTO t2 (k, v) VALUES (1, 20);
INSERT INTO t3 (k, v) VALUES (3, 30);
-- A foreign key joins plain tables only; a join on the result's key may follow.
CREATE TABLE n1 AS SELECT t.k, t2.v AS a, t3.v AS b FROM t JOIN t2 ON t.k = t2.k JOIN t3 ON t.f = t3.k;
CREATE TABLE n2 AS SELECT t.k, t2.v AS a, t3.v AS b FROM t JOIN t2 ON t.v = t2.k JOIN t3 ON t.f = t3.k;
CREATE TABLE n3 AS SELECT t.k, t3.v AS b, t2.v AS a FROM t JOIN t3 ON t.f = t3.k JOIN t2 ON t.k = t2.k;
CREATE STREAM n3s (k INT KEY, b INT, a INT) WITH (KAFKA_TOPIC = '${prefix}N3', VALUE_FORMAT = 'JSON');
SELECT * FROM n3s;
-- In a RIGHT JOIN the spans count from the right row.
CREATE STREAM l (k INT KEY, a STRING) WITH (KAFKA_TOPIC = '${prefix}l', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM r (k INT KEY, b STRING) WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO l (ROWTIME, k, a) VALUES (0, 1, 'l0'), (3000, 2, 'l3000'), (60000, 9, 'l');
INSERT INTO r (ROWTIME, k, b) VALUES (0, 2, 'r0'), (3000, 1, 'r3000'), (60000, 9, 'r');
CREATE STREAM jr AS SELECT r.k AS k, a, b FROM l RIGHT JOIN r WITHIN (1 SECONDS, 5 SECONDS) GRACE PERIOD 1 SECOND ON l.k = r.k;
CREATE STREAM jl AS SELECT l.k AS k, a, b FROM l LEFT JOIN r WITHIN (1 SECONDS, 5 SECONDS) GRACE PERIOD 1 SECOND ON l.k = r.k;
SELECT * FROM jr;
SELECT * FROM jl;
-- A window's bounds belong to one source.
CREATE TABLE w1 AS SELECT l.k, WINDOWSTART AS w, COUNT(*) AS n FROM l JOIN r WITHIN 1 HOUR ON l.k = r.k WINDOW TUMBLING (SIZE 1 MINUTE) GROUP BY l.k;
CREATE TABLE w2 AS SELECT k, WINDOWSTART AS w, COUNT(*) AS n FROM l WINDOW TUMBLING (SIZE 1 MINUTE) GROUP BY k;
