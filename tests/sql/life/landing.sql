-- Topics landed in Parquet tables of the session catalog, and all that such statements refuse.
-- conf: spark.kafkalyst.query.restart.attempts=0
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CTAS_MADE_\d+ => CTAS_MADE_n
-- replace: INSERTQUERY_\d+ => INSERTQUERY_n
-- replace: \d+\.\d+(E-?\d+)? \| => ${rate} |
-- replace: #\d+L? => #n
-- replace: rows#n\], \d+ => rows#n], n
-- topic: ${prefix}s partitions=1
-- topic: ${prefix}t partitions=1
-- record: ${prefix}s {"k": 1, "v": "a"}
-- record: ${prefix}s {"k": 2, "v": "b"}
-- record: ${prefix}t key=x {"n": 1}
-- record: ${prefix}t key=y {"n": 2}
-- record: ${prefix}t key=x {"n": 3}
-- record: ${prefix}t key=y null
CREATE STREAM s (k INT, v STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE TABLE t (id STRING PRIMARY KEY, n INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
-- Made with its rows; the columns have the names and types of the query.
CREATE TABLE made USING parquet PARTITIONED BY (k) TBLPROPERTIES ('kafkalyst.trigger' = 'available-now')
AS SELECT v, ROWOFFSET AS at, upper(v) AS `Up`, k FROM s EMIT CHANGES;
SELECT * FROM made ORDER BY k;
CREATE TABLE IF NOT EXISTS made USING parquet AS SELECT v FROM s EMIT CHANGES;
CREATE TABLE made USING parquet AS SELECT v FROM s EMIT CHANGES;
-- Into one that is there: by place, by name, by a list; types grow.
CREATE TABLE landed (k BIGINT, v STRING, more INT) USING parquet;
INSERT INTO landed WITH (QUERY_ID = 'landing', TRIGGER = 'available-now') SELECT k, v, 7 FROM s EMIT CHANGES;
CREATE TABLE named (v STRING, k BIGINT, more INT) USING orc;
INSERT INTO named WITH (TRIGGER = 'available-now') BY NAME SELECT k, v FROM s WHERE k > 1 EMIT CHANGES;
SELECT * FROM named;
CREATE TABLE listed (k BIGINT, v STRING) USING json;
INSERT INTO listed WITH (TRIGGER = 'available-now') (v, k) SELECT upper(v), k FROM s EMIT CHANGES;
SELECT * FROM listed ORDER BY k;
EXPLAIN landing;
-- It goes on where it stopped, and once.
PAUSE landing;
INSERT INTO s VALUES (3, 'c');
RESUME landing;
RESUME landing;
SELECT * FROM landed ORDER BY k;
SHOW QUERIES;
-- Spark lists such a table's files by the batches of one query.
INSERT INTO landed WITH (TRIGGER = 'available-now') BY NAME SELECT k, v FROM s EMIT CHANGES;
TERMINATE landing;
INSERT INTO landed WITH (TRIGGER = 'available-now', SCHEMA_EVOLUTION = 'add') BY NAME SELECT k, v AS fresh FROM s EMIT CHANGES;
CREATE TABLE filled (k INT, v STRING) USING parquet;
INSERT INTO filled VALUES (0, 'before');
INSERT INTO filled WITH (TRIGGER = 'available-now') SELECT k, v FROM s EMIT CHANGES;
SELECT * FROM filled;
-- A column more than the table has.
CREATE TABLE grown (k INT) USING parquet;
INSERT INTO grown WITH (TRIGGER = 'available-now', SCHEMA_EVOLUTION = 'add') BY NAME SELECT k, v AS fresh FROM s WHERE k > 2 EMIT CHANGES;
SELECT * FROM grown;
-- Changes of a table as rows.
CREATE TABLE changes (id STRING, n INT, ROWKIND STRING, ROWOFFSET BIGINT, ROWTIME BIGINT) USING parquet;
INSERT INTO changes WITH (MERGE = 'append', TRIGGER = 'available-now') BY NAME SELECT id, n FROM t EMIT CHANGES;
SELECT id, n, ROWKIND, ROWOFFSET, ROWTIME > 0 FROM changes ORDER BY ROWOFFSET;
-- What does not fit is told before anything starts.
INSERT INTO landed SELECT k, v FROM s EMIT CHANGES;
INSERT INTO landed SELECT v, v, 1 FROM s EMIT CHANGES;
INSERT INTO landed BY NAME SELECT k, v AS other FROM s EMIT CHANGES;
INSERT INTO landed (k, v) SELECT k FROM s EMIT CHANGES;
INSERT INTO landed (k, nope) SELECT k, v FROM s EMIT CHANGES;
INSERT INTO landed (k, k) SELECT k, k FROM s EMIT CHANGES;
INSERT INTO nope SELECT k, v FROM s EMIT CHANGES;
INSERT OVERWRITE landed SELECT k, v, 1 FROM s EMIT CHANGES;
INSERT INTO made PARTITION (k = 1) SELECT v, 1L, v FROM s EMIT CHANGES;
INSERT INTO landed WITH (MERGE = 'upsert') BY NAME SELECT k, v FROM s EMIT CHANGES;
INSERT INTO changes BY NAME SELECT id, n FROM t EMIT CHANGES;
CREATE TABLE merged USING parquet AS SELECT id, n FROM t EMIT CHANGES;
INSERT INTO landed WITH (MERGE = 'twice') BY NAME SELECT k, v FROM s EMIT CHANGES;
INSERT INTO landed WITH (TRIGGER = 'soon') BY NAME SELECT k, v FROM s EMIT CHANGES;
INSERT INTO landed WITH (TRIGGER = '0 SECONDS') BY NAME SELECT k, v FROM s EMIT CHANGES;
INSERT INTO landed WITH (SCHEMA_EVOLUTION = 'maybe') BY NAME SELECT k, v FROM s EMIT CHANGES;
INSERT INTO landed WITH ('checkpointLocation' = '/mine') BY NAME SELECT k, v FROM s EMIT CHANGES;
ALTER TABLE landed SET TBLPROPERTIES ('kafkalyst.trigger' = 'never');
INSERT INTO landed BY NAME SELECT k, v FROM s EMIT CHANGES;
ALTER TABLE landed UNSET TBLPROPERTIES ('kafkalyst.trigger');
INSERT INTO landed WITH (QUERY_ID = 'CTAS_x') BY NAME SELECT k, v FROM s EMIT CHANGES;
SHOW TABLES LIKE 'merged';
-- A history has one writer, and all records.
CREATE TABLE kept (k INT, v STRING, ROWPARTITION INT, ROWOFFSET BIGINT) USING parquet;
SET spark.kafkalyst.query.trigger=continuous;
INSERT INTO kept WITH (QUERY_ID = 'keeping', TRIGGER = '1 HOUR') SELECT k, v, ROWPARTITION, ROWOFFSET FROM s EMIT CHANGES;
CREATE STREAM h (k INT, v STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', HISTORY = 'kept');
INSERT INTO kept SELECT k, v, ROWPARTITION, ROWOFFSET FROM h EMIT CHANGES;
SET spark.kafkalyst.query.trigger=available-now;
TERMINATE keeping;
INSERT INTO kept SELECT k, v, ROWPARTITION, ROWOFFSET FROM h EMIT CHANGES;
-- Bad records follow ON_ERROR.
CREATE STREAM wrong (k INT, v INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE TABLE numbers (k INT, v INT) USING parquet;
INSERT INTO numbers WITH (QUERY_ID = 'numbers', TRIGGER = 'available-now') SELECT k, v FROM wrong EMIT CHANGES;
ALTER STREAM wrong SET ('on_error' = 'null');
INSERT INTO numbers WITH (QUERY_ID = 'numbers', TRIGGER = 'available-now') SELECT k, v FROM wrong EMIT CHANGES;
SELECT * FROM numbers ORDER BY k;
-- The sink goes away and comes back.
DROP TABLE numbers;
INSERT INTO s VALUES (4, 'd');
RESUME numbers;
CREATE TABLE numbers (k INT, v INT) USING parquet;
RESUME numbers;
SELECT * FROM numbers ORDER BY k;
TERMINATE numbers;
INSERT INTO numbers WITH (TRIGGER = 'available-now') SELECT k, v FROM wrong EMIT CHANGES;
SELECT count(*) FROM numbers;
