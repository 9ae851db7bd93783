-- EMIT FINAL over sessions: a row that comes after its session and the grace period are over does not count.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM s (id STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s (ROWTIME, id, v) VALUES (10, 'a', 1), (1000, 'b', 2), (500, 'a', 3), (10500, 'a', 4), (9000, 'a', 5), (40000, 'b', 6);
INSERT INTO s (ROWTIME, id, v) VALUES (1000, 'a', 7), (39000, 'b', 8), (100000, 'a', 9);
CREATE TABLE f AS SELECT id, SUM(v) AS s, COUNT() AS n, WINDOWSTART AS ws, WINDOWEND AS we FROM s WINDOW w SESSION (10 SECONDS, GRACE PERIOD 5 SECONDS) GROUP BY id EMIT FINAL;
SELECT *, ROWTIME FROM f;
