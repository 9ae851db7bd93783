-- An entry that cannot be read is no hindrance to others, and can be dropped; ALTER TABLE breaks none.
-- topic: ${prefix}u
-- record: ${prefix}u key=a {"a":1}
CREATE STREAM s (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}u', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
ALTER TABLE s UNSET TBLPROPERTIES ('value_format');
ALTER TABLE s UNSET TBLPROPERTIES ('Kafka_Topic');
ALTER TABLE s SET TBLPROPERTIES ('kafkalyst.value.schema.id' = 'x');
ALTER TABLE s SET TBLPROPERTIES ('kafkalyst.key.columns' = 'oops');
ALTER TABLE s SET TBLPROPERTIES ('KAFKALYST.KIND' = 'TABLE');
ALTER TABLE s SET TBLPROPERTIES ('kafkalyst.name' = 'other');
ALTER TABLE s SET TBLPROPERTIES ('on_error' = 'skip', 'team' = 'x');
ALTER TABLE s UNSET TBLPROPERTIES ('team', 'nothing');
SELECT * FROM s;
CREATE TABLE broken (a INT) USING kafkalyst TBLPROPERTIES ('kafka_topic' = '${prefix}u', 'kafkalyst.kind' = 'STREAM',
  'kafkalyst.key.columns' = 'oops', 'key_format' = 'KAFKA', 'value_format' = 'JSON');
SHOW STREAMS;
SHOW QUERIES;
SELECT * FROM broken;
DESCRIBE broken;
INSERT INTO broken VALUES (1);
CREATE STREAM IF NOT EXISTS broken (a INT) WITH (KAFKA_TOPIC = '${prefix}u', VALUE_FORMAT = 'JSON');
CREATE OR REPLACE STREAM broken (a INT) WITH (KAFKA_TOPIC = '${prefix}u', VALUE_FORMAT = 'JSON');
ALTER STREAM s RENAME TO t;
DROP STREAM broken DELETE TOPIC;
DROP STREAM broken;
SELECT * FROM t;
CREATE TABLE broken (a INT) USING kafkalyst TBLPROPERTIES ('kafka_topic' = '${prefix}u', 'kafkalyst.kind' = 'STREAM',
  'kafkalyst.key.columns' = '[]', 'kafkalyst.value.schema.id' = 'x', 'key_format' = 'KAFKA', 'value_format' = 'JSON');
SELECT * FROM broken;
DROP TABLE IF EXISTS broken;
DROP TABLE IF EXISTS broken;
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
