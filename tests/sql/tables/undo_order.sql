-- Groups of a table: values stand in the order of their changes, and the group's time is that of the latest change.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE TABLE t (k INT PRIMARY KEY, g STRING, v INT) WITH (KAFKA_TOPIC = '${prefix}t', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t (ROWTIME, k, g, v) VALUES (10, 1, 'a', 1), (20, 2, 'a', 2), (30, 3, 'b', 3), (40, 1, 'b', 4), (45, 4, 'b', 7), (48, 3, 'b', 8);
INSERT INTO t (ROWTIME, k, _tombstone) VALUES (50, 2, true);
INSERT INTO t (ROWTIME, k, g, v) VALUES (60, 5, 'b', 4), (70, 6, 'b', 9), (80, 5, 'c', 4), (5, 7, 'c', 1);
CREATE TABLE grouped AS SELECT g, COUNT(*) AS n, COLLECT_LIST(v) AS l FROM t GROUP BY g;
SELECT *, ROWTIME FROM grouped;
