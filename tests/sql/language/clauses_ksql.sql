-- ksqlDB's clauses: conditions as keys, a window's RETENTION and size, EXPLAIN of the INSERT that starts a query, decimals as values.
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: (C[ST]AS_[A-Z0-9_]+|INSERTQUERY)_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: #\d+L? => #n
-- replace: 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\S* \| => ${time} |
CREATE STREAM s (k INT KEY, a INT, b INT, x BOOLEAN) WITH (KAFKA_TOPIC = '${prefix}s', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1, 7, 7, true), (2, 1, 7, false);
CREATE STREAM compared AS SELECT * FROM s PARTITION BY a > 5;
PRINT '${prefix}COMPARED';
CREATE STREAM several AS SELECT k, a, b FROM s PARTITION BY NOT x, a IS NULL;
CREATE STREAM both AS SELECT * FROM s PARTITION BY (NOT x), (a < b);
PRINT '${prefix}BOTH';
CREATE TABLE equals AS SELECT a = b, COUNT(*) FROM s GROUP BY a = b;
CREATE TABLE negated AS SELECT NOT x AS n, COUNT(*) AS c FROM s GROUP BY NOT x;
SELECT * FROM equals;
SELECT * FROM negated;
CREATE TABLE kept AS SELECT k, COUNT(*) AS c FROM s WINDOW TUMBLING (SIZE 1 HOUR, RETENTION 2 DAYS) GROUP BY k;
CREATE TABLE graced AS SELECT k, COUNT(*) AS c FROM s WINDOW SESSION (1 HOUR, RETENTION 2 DAYS, GRACE PERIOD 1 MINUTE) GROUP BY k;
CREATE TABLE e AS SELECT k, COUNT(*) AS c FROM s WINDOW HOPPING (SIZE 1 HOUR, ADVANCE BY 1 MINUTE, RETENTION 2 HOURS, GRACE PERIOD 2 HOURS) GROUP BY k;
CREATE STREAM e (k INT KEY, c INT) WITH (KAFKA_TOPIC = '${prefix}KEPT', VALUE_FORMAT = 'JSON', WINDOW_TYPE = 'TUMBLING', WINDOW_SIZE = '0 SECONDS');
CREATE STREAM target (k INT KEY, a BIGINT) WITH (KAFKA_TOPIC = '${prefix}t', FORMAT = 'JSON', PARTITIONS = 1);
EXPLAIN INSERT INTO target SELECT k, a FROM s;
EXPLAIN INSERT INTO target SELECT k, x AS a FROM s;
EXPLAIN INSERT INTO target SELECT k, a AS other FROM s;
SELECT COUNT(*) FROM target;
CREATE STREAM d (k INT KEY, d DECIMAL(4, 2)) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO d VALUES (1, 1.5), (2, -1.25), (3, 3), (4, -2);
INSERT INTO d VALUES (5, .5 + 1);
INSERT INTO d VALUES (6, 123.4);
INSERT INTO d VALUES (6, 123);
INSERT INTO d VALUES (6, 1.234);
SELECT * FROM d;
-- What only Spark has, and what only ksqlDB's testing tool has, is refused by name.
CREATE TABLE e AS SELECT k, SUM(DISTINCT a) AS s FROM s GROUP BY k;
ASSERT VALUES s (k, a) VALUES (1, 7);
ASSERT NULL VALUES s (k) KEY (1);
ASSERT STREAM s (k INT KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}s', FORMAT = 'JSON');
ASSERT TABLE kept (k INT PRIMARY KEY, c BIGINT) WITH (KAFKA_TOPIC = '${prefix}KEPT', FORMAT = 'JSON');
