-- A stream with a table: the table's row as of the stream's row.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- topic: ${prefix}s partitions=1
-- topic: ${prefix}t partitions=1
CREATE STREAM s (k STRING KEY, id INT, a STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE TABLE t (id INT PRIMARY KEY, b STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO');
INSERT INTO t (ROWTIME, id, b) VALUES (10, 1, 'one'), (30, 1, 'uno'), (40, 2, 'two');
INSERT INTO t (ROWTIME, id, _tombstone) VALUES (50, 1, true);
INSERT INTO s (ROWTIME, k, id, a) VALUES (5, 'x', 1, 'a'), (20, 'x', 1, 'b'), (30, 'x', 1, 'c'), (45, 'y', 2, 'd'), (60, 'x', 1, 'e'), (70, 'z', NULL, 'f');
CREATE STREAM inner_ AS SELECT s.id, k, a, b FROM s JOIN t ON s.id = t.id;
SELECT *, ROWTIME FROM inner_;
DESCRIBE inner_;
CREATE STREAM left_ AS SELECT * FROM s LEFT JOIN t ON s.id = t.id;
SELECT *, ROWTIME FROM left_;
DESCRIBE left_;
