-- An object keeps its topic while queries have offsets or rows there.
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- topic: ${prefix}a
-- topic: ${prefix}b
-- record: ${prefix}a key=x {"n": 1}
-- record: ${prefix}b key=y {"n": 2}
CREATE STREAM src (k STRING KEY, n INT) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'JSON');
CREATE STREAM snk (k STRING KEY, n INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO snk WITH (QUERY_ID = 'COPY') SELECT * FROM src EMIT CHANGES;
ALTER TABLE src SET TBLPROPERTIES ('kafka_topic' = '${prefix}b');
ALTER TABLE snk SET TBLPROPERTIES ('KAFKA_TOPIC' = '${prefix}b', 'value_format' = 'JSON');
ALTER TABLE src SET TBLPROPERTIES ('kafka_topic' = '${prefix}a', 'team' = 'x');
INSERT INTO src VALUES ('z', 3);
RESUME copy;
SELECT * FROM snk ORDER BY k;
TERMINATE copy;
ALTER TABLE src SET TBLPROPERTIES ('kafka_topic' = '${prefix}b');
SELECT * FROM src;
-- A pattern says what is read, whatever topic is named beside it.
CREATE STREAM every (k STRING KEY, n INT) WITH (KAFKA_TOPIC = '${prefix}[ab]', 'topic-pattern' = '${prefix}[ab]', VALUE_FORMAT = 'JSON');
INSERT INTO snk WITH (QUERY_ID = 'ALL') SELECT * FROM every EMIT CHANGES;
ALTER TABLE every SET TBLPROPERTIES ('topic-pattern' = '${prefix}[bc]');
ALTER TABLE every UNSET TBLPROPERTIES ('topic-pattern');
ALTER TABLE every SET TBLPROPERTIES ('topic-pattern' = '${prefix}[ab]', 'team' = 'y');
TERMINATE all;
ALTER TABLE every SET TBLPROPERTIES ('topic-pattern' = '${prefix}b');
SELECT * FROM every ORDER BY k;
