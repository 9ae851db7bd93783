-- Options of one continuous INSERT, as Flink's hint and as WITH; and hints about Flink's state, which have no effect.
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: INSERTQUERY_\d+ => ${insert}
-- replace: NAMED_\w+ => ${id}
CREATE TABLE t (id BIGINT, name STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'PARTITIONS' = '1', 'format' = 'json');
CREATE TABLE c (id BIGINT, name STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}c', 'PARTITIONS' = '1', 'format' = 'json');
INSERT INTO t VALUES (1, 'a'), (2, 'b');
INSERT INTO c /*+ OPTIONS('sink.partitioner' = 'fixed') */ SELECT id, name FROM t /*+ OPTIONS('scan.startup.mode' = 'earliest-offset') */ EMIT CHANGES;
INSERT INTO c /*+ OPTIONS('format' = 'csv', 'csv.field-delimiter' = '|') */ SELECT id, name FROM t WHERE id = 1 EMIT CHANGES;
INSERT INTO c WITH ('sink.parallelism' = '2', 'QUERY_ID' = 'named_${prefix}') (name) SELECT UPPER(name) FROM t WHERE id = 2 EMIT CHANGES;
CREATE STREAM lines (line STRING) WITH (KAFKA_TOPIC = '${prefix}c', VALUE_FORMAT = 'KAFKA');
SELECT line FROM lines;
INSERT INTO c /*+ OPTIONS('sink.partitioner' = 'nosuch') */ SELECT id, name FROM t EMIT CHANGES;
INSERT INTO c /*+ OPTIONS('topic' = 'other') */ SELECT id, name FROM t EMIT CHANGES;
INSERT INTO c /*+ OPTIONS('csv.field-delimiter' = '|') */ SELECT id, name FROM t EMIT CHANGES;
-- What ksqlDB's statement created has no such options.
CREATE STREAM s (id BIGINT, name STRING) WITH (KAFKA_TOPIC = '${prefix}s', PARTITIONS = 1, VALUE_FORMAT = 'JSON');
INSERT INTO s WITH ('sink.partitioner' = 'fixed') SELECT id, name FROM t EMIT CHANGES;
SELECT /*+ STATE_TTL('t' = '1d') */ id FROM t ORDER BY id;
SELECT /*+ LOOKUP('table' = 't', 'retry-predicate' = 'lookup_miss') */ id FROM t WHERE id = 1 EMIT CHANGES LIMIT 1;
