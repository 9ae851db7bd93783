-- Sessions over several runs: what is closed accepts no rows, but is part of an open session that a row joins it with.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s (ROWTIME, k, v) VALUES (1000, 'a', 1), (20000, 'a', 2), (30000, 'a', 3);
CREATE TABLE w AS SELECT k, COUNT(*) AS n, COLLECT_LIST(v) AS l FROM s WINDOW SESSION (10 SECONDS, GRACE PERIOD 5 SECONDS) GROUP BY k;
CREATE STREAM records (k STRING KEY, n BIGINT, l ARRAY<INT>) WITH (KAFKA_TOPIC = '${prefix}W', VALUE_FORMAT = 'JSON', WINDOW_TYPE = 'SESSION');
-- The second joins the session of 1000, which is closed, with that of 20000.
INSERT INTO s (ROWTIME, k, v) VALUES (10500, 'a', 4);
CREATE OR REPLACE TABLE w AS SELECT k, COUNT(*) AS n, COLLECT_LIST(v) AS l FROM s WINDOW SESSION (10 SECONDS, GRACE PERIOD 5 SECONDS) GROUP BY k;
SELECT k, WINDOWSTART, WINDOWEND, n, l FROM w;
-- Late by another key's row, but within the session that the state has; the last is not.
INSERT INTO s (ROWTIME, k, v) VALUES (40000, 'b', 5), (500, 'a', 6), (15000, 'c', 7);
CREATE OR REPLACE TABLE w AS SELECT k, COUNT(*) AS n, COLLECT_LIST(v) AS l FROM s WINDOW SESSION (10 SECONDS, GRACE PERIOD 5 SECONDS) GROUP BY k;
SELECT k, WINDOWSTART, WINDOWEND, n, l FROM w;
-- Within a closed session, and so for nothing: its row is not written again.
INSERT INTO s (ROWTIME, k, v) VALUES (90000, 'b', 8), (31000, 'a', 9);
CREATE OR REPLACE TABLE w AS SELECT k, COUNT(*) AS n, COLLECT_LIST(v) AS l FROM s WINDOW SESSION (10 SECONDS, GRACE PERIOD 5 SECONDS) GROUP BY k;
SELECT k, WINDOWSTART, WINDOWEND, n, l FROM records;
