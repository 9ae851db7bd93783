-- A statement that has failed after it wrote rows leaves its query, which continues: no row is written twice.
-- conf: spark.sql.shuffle.partitions=1
-- topic: ${prefix}s partitions=1
-- topic: ${prefix}o partitions=1
-- record: ${prefix}s key=a {"a":1}
-- record: ${prefix}s key=b {"a":2}
-- record: ${prefix}s key=c {bad
-- record: ${prefix}s key=d {"a":4}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_COPIED_\d+ => CSAS_COPIED_n
-- replace: INSERTQUERY_\d+ => INSERTQUERY_n
-- replace: \d+\.\d+(E-?\d+)? \| => ${rate} |
CREATE STREAM s (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}s', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
CREATE STREAM o (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}o', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
-- Batches of one record: two are written before the bad one.
INSERT INTO o SELECT k, a FROM s WITH (maxOffsetsPerTrigger = 1) EMIT CHANGES;
SHOW QUERIES;
SELECT k, a FROM o ORDER BY ROWOFFSET;
INSERT INTO o SELECT k, a FROM s WITH (maxOffsetsPerTrigger = 1) EMIT CHANGES;
CREATE STREAM copied AS SELECT k, a FROM s WITH (maxOffsetsPerTrigger = 1);
CREATE STREAM copied AS SELECT k, a FROM s WITH (maxOffsetsPerTrigger = 1);
-- IF NOT EXISTS is no way on, so its result names that.
CREATE STREAM IF NOT EXISTS copied AS SELECT k, a FROM s WITH (maxOffsetsPerTrigger = 1);
CREATE TABLE landed USING parquet TBLPROPERTIES ('kafkalyst.query_id' = 'landing_f') AS SELECT k, a FROM s WITH (maxOffsetsPerTrigger = 1) EMIT CHANGES;
CREATE TABLE landed USING parquet TBLPROPERTIES ('kafkalyst.query_id' = 'landing_f') AS SELECT k, a FROM s WITH (maxOffsetsPerTrigger = 1) EMIT CHANGES;
CREATE TABLE filled (k STRING, a INT) USING parquet;
INSERT INTO filled SELECT k, a FROM s WITH (maxOffsetsPerTrigger = 1) EMIT CHANGES;
ALTER STREAM s SET ('on_error' = 'skip');
-- The same statement again continues its query.
INSERT INTO o SELECT k, a FROM s WITH (maxOffsetsPerTrigger = 1) EMIT CHANGES;
SELECT k, a FROM o ORDER BY ROWOFFSET;
INSERT INTO filled SELECT k, a FROM s WITH (maxOffsetsPerTrigger = 1) EMIT CHANGES;
SELECT * FROM filled ORDER BY k;
CREATE TABLE IF NOT EXISTS landed USING parquet TBLPROPERTIES ('kafkalyst.query_id' = 'landing_f') AS SELECT k, a FROM s WITH (maxOffsetsPerTrigger = 1) EMIT CHANGES;
RESUME landing_f;
SELECT * FROM landed ORDER BY k;
CREATE OR REPLACE STREAM copied AS SELECT k, a FROM s WITH (maxOffsetsPerTrigger = 1);
SELECT k, a FROM copied ORDER BY ROWOFFSET;
-- A query that has written nothing goes with its statement.
ALTER STREAM s SET ('on_error' = 'fail');
CREATE STREAM nothing AS SELECT k, a FROM s WHERE k = 'c';
SHOW STREAMS LIKE 'nothing';
