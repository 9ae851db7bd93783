-- Rows that come after their window and its grace period are left out, within one batch too: records count in the order of their offsets.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
CREATE STREAM s (k INT KEY, g STRING, x INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s (ROWTIME, k, g, x) VALUES (1000, 1, 'a', 5);
INSERT INTO s (ROWTIME, k, g, x) VALUES (2000, 2, 'a', 6);
INSERT INTO s (ROWTIME, k, g, x) VALUES (12000, 3, 'b', 7);
INSERT INTO s (ROWTIME, k, g, x) VALUES (1500, 4, 'a', 8);
INSERT INTO s (ROWTIME, k, g, x) VALUES (90000, 5, NULL, 9);
INSERT INTO s (ROWTIME, k, g, x) VALUES (25000, 6, 'b', 1);
INSERT INTO s (ROWTIME, k, g, x) VALUES (2500, 7, 'b', 2);
INSERT INTO s (ROWTIME, k, g, x) VALUES (14000, 8, 'b', 3);
CREATE TABLE day AS SELECT g, COUNT(*) AS n, SUM(x) AS total FROM s WINDOW TUMBLING (SIZE 10 SECONDS) GROUP BY g;
SELECT *, ROWTIME FROM day;
CREATE TABLE none AS SELECT g, COUNT(*) AS n, SUM(x) AS total FROM s WINDOW TUMBLING (SIZE 10 SECONDS, GRACE PERIOD 0 SECONDS) GROUP BY g;
SELECT *, ROWTIME FROM none;
CREATE TABLE some AS SELECT g, COUNT(*) AS n, SUM(x) AS total FROM s WINDOW TUMBLING (SIZE 10 SECONDS, GRACE PERIOD 6 SECONDS) GROUP BY g;
SELECT *, ROWTIME FROM some;
-- A hopping row may be late for some of its windows only.
CREATE TABLE hops AS SELECT g, COUNT(*) AS n FROM s WINDOW HOPPING (SIZE 10 SECONDS, ADVANCE BY 5 SECONDS, GRACE PERIOD 7 SECONDS) GROUP BY g;
SELECT *, ROWTIME FROM hops;
CREATE TABLE final AS SELECT g, COUNT(*) AS n FROM s WINDOW TUMBLING (SIZE 10 SECONDS, GRACE PERIOD 0 SECONDS) GROUP BY g EMIT FINAL;
SELECT *, ROWTIME FROM final;
CREATE TABLE sessions AS SELECT g, COUNT(*) AS n FROM s WINDOW SESSION (5 SECONDS, GRACE PERIOD 5 SECONDS) GROUP BY g;
SELECT *, ROWTIME FROM sessions;
-- Rows that WHERE leaves out do not advance time.
CREATE TABLE chosen AS SELECT g, COUNT(*) AS n FROM s WINDOW TUMBLING (SIZE 10 SECONDS, GRACE PERIOD 0 SECONDS) WHERE x <> 7 GROUP BY g;
SELECT *, ROWTIME FROM chosen;
