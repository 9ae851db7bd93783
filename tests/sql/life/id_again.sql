-- A statement that fails gives back the id of its query.
-- topic: ${prefix}b partitions=1
-- topic: ${prefix}o partitions=1
-- record: ${prefix}b key=a {bad
-- record: ${prefix}b key=a {"a":1}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: AGAIN_\w+ => ${id}
CREATE STREAM ${prefix}b (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}b', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
CREATE STREAM ${prefix}o (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}o', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
INSERT INTO ${prefix}o WITH (QUERY_ID = 'again_${prefix}') SELECT k, a FROM ${prefix}b EMIT CHANGES;
ALTER TABLE ${prefix}b SET TBLPROPERTIES ('on_error' = 'skip');
INSERT INTO ${prefix}o WITH (QUERY_ID = 'again_${prefix}') SELECT k, a FROM ${prefix}b EMIT CHANGES;
SELECT * FROM ${prefix}o;
INSERT INTO ${prefix}o WITH (QUERY_ID = 'again_${prefix}') SELECT k, a FROM ${prefix}b EMIT CHANGES;
TERMINATE again_${prefix};
