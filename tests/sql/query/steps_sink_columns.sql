-- A sink that gets a column: queries that insert into it go on with NULL in that column, also after a restart.
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: FILLS_\w+ => ${id}
CREATE STREAM src (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}src', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM snk (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}snk', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO src VALUES ('x', 1);
INSERT INTO snk WITH (QUERY_ID = 'fills_${prefix}') SELECT * FROM src EMIT CHANGES;
ALTER STREAM snk ADD COLUMN b STRING;
INSERT INTO src VALUES ('y', 2);
RESUME fills_${prefix};
SELECT * FROM snk;
-- A new query must give the column.
INSERT INTO snk SELECT * FROM src EMIT CHANGES;
