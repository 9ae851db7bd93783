-- Which column of a query goes into which column of a table: by position, by a list, and when columns are added.
-- conf: spark.kafkalyst.query.restart.attempts=0
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CTAS_\w+_\d+ => CTAS_n
-- replace: INSERTQUERY_\d+ => INSERTQUERY_n
-- topic: ${prefix}s partitions=1
-- topic: ${prefix}t partitions=1
-- topic: ${prefix}u partitions=1
-- record: ${prefix}s {"id": 1, "a": "x"}
-- record: ${prefix}t key=k1 {"v": "v1"}
-- record: ${prefix}u key=k1 {"w": "w1"}
CREATE STREAM s (id INT, a STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE TABLE t (k STRING PRIMARY KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
CREATE TABLE u (k STRING PRIMARY KEY, w STRING) WITH (KAFKA_TOPIC = '${prefix}u', VALUE_FORMAT = 'JSON');
-- The key is where the SELECT has it.
CREATE TABLE made USING parquet TBLPROPERTIES ('MERGE' = 'append', 'TRIGGER' = 'available-now')
AS SELECT v, k FROM t EMIT CHANGES;
SELECT v, k, ROWKIND FROM made;
CREATE TABLE joined USING parquet TBLPROPERTIES ('MERGE' = 'append', 'TRIGGER' = 'available-now')
AS SELECT u.w, t.v, t.k AS k FROM t JOIN u ON t.k = u.k EMIT CHANGES;
SELECT w, v, k, ROWKIND FROM joined;
CREATE TABLE turned (w STRING, v STRING, k STRING, kind STRING, o BIGINT, time BIGINT) USING parquet;
INSERT INTO turned WITH (MERGE = 'append', TRIGGER = 'available-now') SELECT u.w, t.v, t.k AS k FROM t JOIN u ON t.k = u.k EMIT CHANGES;
SELECT w, v, k, kind FROM turned;
-- A column that the query does not give has its DEFAULT.
CREATE TABLE defaults (id INT, a STRING, d INT DEFAULT 3 + 4, e STRING NOT NULL DEFAULT 'e', f DATE) USING parquet;
INSERT INTO defaults WITH (TRIGGER = 'available-now') (id, a) SELECT id, a FROM s EMIT CHANGES;
SELECT * FROM defaults;
-- A column that the stream gains moves no other one.
CREATE TABLE land (number INT, letter STRING, off BIGINT) USING parquet;
INSERT INTO land WITH (QUERY_ID = 'land', TRIGGER = 'available-now') SELECT *, ROWOFFSET FROM s EMIT CHANGES;
CREATE TABLE land2 (number INT, letter STRING, off BIGINT) USING parquet;
INSERT INTO land2 WITH (QUERY_ID = 'land2', TRIGGER = 'available-now', SCHEMA_EVOLUTION = 'add') SELECT *, ROWOFFSET FROM s EMIT CHANGES;
ALTER STREAM s ADD COLUMN b BIGINT;
INSERT INTO s VALUES (2, 'y', 20);
RESUME land;
ALTER TABLE land ADD COLUMNS (b BIGINT);
RESUME land;
RESUME land2;
SELECT * FROM land ORDER BY number;
SELECT * FROM land2 ORDER BY number;
