-- TERMINATE frees the id of a query: the statement can be executed again, with a checkpoint of its own.
-- topic: ${prefix}s partitions=1
-- topic: ${prefix}o partitions=1
-- record: ${prefix}s key=a {"a":1}
-- record: ${prefix}s key=b {"a":2}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CTAS_LANDED_\d+ => CTAS_LANDED_n
-- replace: \d+\.\d+(E-?\d+)? \| => ${rate} |
CREATE STREAM s (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}s', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
CREATE STREAM o (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}o', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
INSERT INTO o WITH (QUERY_ID = 'nightly-q') SELECT k, a FROM s EMIT CHANGES;
INSERT INTO o WITH (QUERY_ID = 'nightly-q') SELECT k, a FROM s EMIT CHANGES;
TERMINATE `nightly-q`;
INSERT INTO o WITH (QUERY_ID = 'nightly-q') SELECT k, a + 10 AS a FROM s EMIT CHANGES;
SELECT k, a FROM o ORDER BY ROWOFFSET;
INSERT INTO s VALUES ('c', 3);
RESUME `nightly-q`;
SELECT k, a FROM o ORDER BY ROWOFFSET;
TERMINATE `nightly-q`;
INSERT INTO o WITH (QUERY_ID = 'nightly-q') SELECT k, nope FROM s EMIT CHANGES;
INSERT INTO o WITH (QUERY_ID = 'nightly-q') SELECT k, a FROM s WHERE a > 2 EMIT CHANGES;
-- With its sink a query ends, too.
DROP STREAM o;
CREATE STREAM o (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}o', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
INSERT INTO o WITH (QUERY_ID = 'nightly-q') SELECT k, a FROM s WHERE a > 2 EMIT CHANGES;
TERMINATE `nightly-q`;
-- A table of another catalog, too; the record of its query is in the folder of the id.
CREATE TABLE landed USING parquet TBLPROPERTIES ('kafkalyst.query_id' = 'landing_l') AS SELECT k, a FROM s EMIT CHANGES;
CREATE TABLE landed USING parquet AS SELECT k, a FROM s EMIT CHANGES;
TERMINATE landing_l;
CREATE TABLE landed USING parquet AS SELECT k, a FROM s EMIT CHANGES;
-- As LAKE_FILES says, once the table was made anew.
INSERT INTO landed WITH (QUERY_ID = 'landing_l') SELECT k, a FROM s EMIT CHANGES;
DROP TABLE landed;
CREATE TABLE landed (k STRING, a INT) USING parquet;
INSERT INTO landed WITH (QUERY_ID = 'landing_l') SELECT k, a FROM s EMIT CHANGES;
SELECT * FROM landed ORDER BY k;
INSERT INTO s VALUES ('d', 4);
RESUME landing_l;
SELECT * FROM landed ORDER BY k;
SHOW QUERIES;
TERMINATE landing_l;
