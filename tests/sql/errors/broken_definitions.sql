-- Properties that are a definition's own are not changed so that nothing could read it; SessionObjectsSuite has such.
-- topic: ${prefix}u
-- replace: CSAS_OLD_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- record: ${prefix}u key=a {"a":1}
CREATE STREAM s (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}u', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
ALTER TABLE s UNSET TBLPROPERTIES ('value_format');
ALTER TABLE s UNSET TBLPROPERTIES ('Kafka_Topic');
ALTER TABLE s SET TBLPROPERTIES ('kafkalyst.value.schema.id' = 'x');
ALTER TABLE s SET TBLPROPERTIES ('kafkalyst.key.columns' = 'oops');
ALTER TABLE s SET TBLPROPERTIES ('KAFKALYST.KIND' = 'TABLE');
ALTER TABLE s SET TBLPROPERTIES ('kafkalyst.name' = 'other');
ALTER TABLE s SET TBLPROPERTIES ('kafkalyst.query.x' = '{}');
CREATE TABLE forged (a INT) USING kafkalyst TBLPROPERTIES ('kafka_topic' = '${prefix}e', 'value_format' = 'JSON', 'Kafkalyst.Query.x' = '{}');
CREATE TABLE forged (a INT) USING kafkalyst OPTIONS ('kafka_topic' = '${prefix}e', 'value_format' = 'JSON', 'kafkalyst.query.x' = '{}');
CREATE OR REPLACE TABLE forged (a INT) USING kafkalyst TBLPROPERTIES ('kafka_topic' = '${prefix}e', 'value_format' = 'JSON', 'kafkalyst.query.x' = '{}');
CREATE TABLE plain (a INT) USING parquet;
CREATE TABLE forged LIKE plain USING kafkalyst TBLPROPERTIES ('kafka_topic' = '${prefix}e', 'value_format' = 'JSON', 'kafkalyst.query.x' = '{}');
CREATE TABLE forged LIKE s TBLPROPERTIES ('Kafkalyst.Query.x' = '{}');
DROP TABLE plain;
ALTER TABLE s SET TBLPROPERTIES ('on_error' = 'skip', 'team' = 'x');
ALTER TABLE s UNSET TBLPROPERTIES ('team', 'nothing');
SELECT * FROM s;
ALTER STREAM s RENAME TO t;
-- One that cannot be read is not made.
CREATE TABLE broken (a INT) USING kafkalyst TBLPROPERTIES ('kafka_topic' = '${prefix}u', 'kafkalyst.kind' = 'STREAM',
  'kafkalyst.key.columns' = 'oops', 'key_format' = 'KAFKA', 'value_format' = 'JSON');
SHOW STREAMS;
-- A replacement that fails leaves the entry as it was.
CREATE STREAM old COMMENT 'old' WITH (KAFKA_TOPIC = '${prefix}old') AS SELECT k, a FROM t;
ALTER TABLE old SET TBLPROPERTIES ('team' = 'x');
COMMENT ON TABLE old IS 'mine';
ALTER TABLE t SET TBLPROPERTIES ('on_error' = 'fail');
CREATE STREAM texts (k STRING KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}u', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'KAFKA');
INSERT INTO texts VALUES ('z', '{bad');
CREATE OR REPLACE STREAM old COMMENT 'new' WITH (KAFKA_TOPIC = '${prefix}old') AS SELECT k, a, a + 1 AS b FROM t;
SHOW CREATE TABLE old;
