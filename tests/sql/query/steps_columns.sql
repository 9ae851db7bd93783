-- Sources that gain columns between two runs: `*` keeps those that it had, and state holds the used ones only.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE t (k STRING PRIMARY KEY, x INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM copies (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}copies', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM joined (s_k STRING KEY, s_v INT, t_k STRING, t_x INT) WITH (KAFKA_TOPIC = '${prefix}joined', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t (ROWTIME, k, x) VALUES (5, 'a', 1);
INSERT INTO s (ROWTIME, k, v) VALUES (10, 'a', 1);
INSERT INTO copies WITH (QUERY_ID = 'columns_stay') SELECT * FROM s;
INSERT INTO joined WITH (QUERY_ID = 'columns_stay_joined') SELECT * FROM s JOIN t ON s.k = t.k;
ALTER STREAM s ADD COLUMN w INT;
ALTER TABLE t ADD COLUMN y INT;
INSERT INTO t (ROWTIME, k, x, y) VALUES (15, 'a', 2, 20);
INSERT INTO s (ROWTIME, k, v, w) VALUES (20, 'a', 2, 22);
RESUME columns_stay;
RESUME columns_stay_joined;
SELECT * FROM copies;
SELECT * FROM joined;
-- A new query has them.
INSERT INTO copies SELECT * FROM s;
