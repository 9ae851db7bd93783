-- The windows of a key are in the partition of the key, as Kafka's own partitioner chooses it for the key alone.
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM o (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}o', FORMAT = 'JSON', PARTITIONS = 4);
INSERT INTO o (ROWTIME, k, v) VALUES (1000, 'a', 1), (2000, 'b', 2), (3000, 'c', 3), (4000, 'd', 4), (5000, 'e', 5);
CREATE TABLE hops WITH (PARTITIONS = 4) AS SELECT k, COUNT(*) AS c FROM o WINDOW HOPPING (SIZE 4 SECONDS, ADVANCE BY 1 SECOND) GROUP BY k;
CREATE TABLE sessions WITH (PARTITIONS = 4) AS SELECT k, COUNT(*) AS c FROM o WINDOW SESSION (1 SECOND) GROUP BY k;
SELECT k, ROWPARTITION FROM o;
SELECT k, COUNT(*) AS windows, COLLECT_SET(ROWPARTITION) AS partitions FROM hops GROUP BY k;
SELECT k, COUNT(*) AS windows, COLLECT_SET(ROWPARTITION) AS partitions FROM sessions GROUP BY k;
