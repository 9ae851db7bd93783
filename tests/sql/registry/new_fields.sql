-- SCHEMA.EVOLUTION=fail: a record with fields that the object has no columns for is a bad record; by default it is read without them.
-- replace: schema id \d+ => schema id ${id}
-- replace: begins with [0-9a-f ]+ => begins with ${bytes}
-- schema: j1 ${prefix}j-value JSON {"type":"object","title":"J","properties":{"id":{"type":"integer"}},"additionalProperties":false}
-- schema: j2 ${prefix}j-value JSON {"type":"object","title":"J","properties":{"id":{"type":"integer"},"more":{"type":"integer"}},"additionalProperties":false}
CREATE STREAM a (id INT, st STRUCT<x INT>) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
CREATE STREAM a_closed WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO', 'schema.evolution' = 'fail');
CREATE STREAM a_part (id INT) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO', SCHEMA.EVOLUTION = 'fail', ON_ERROR = 'skip');
INSERT INTO a VALUES (1, named_struct('x', 1));
SELECT * FROM a_closed;
ALTER STREAM a ADD COLUMN more ARRAY<STRUCT<y INT>>;
INSERT INTO a VALUES (2, named_struct('x', 2), array(named_struct('y', 3)));
SELECT id FROM a_closed;
SELECT count(*) FROM a_closed;
-- Fields of the schema at the time of CREATE are not new, whether they are columns or not.
SELECT * FROM a_part;
ALTER STREAM a_closed REFRESH SCHEMA;
SELECT * FROM a_closed;
CREATE STREAM j WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON_SR', VALUE_SCHEMA_ID = ${id.j2}, PARTITIONS = 1);
CREATE STREAM j_closed WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON_SR', VALUE_SCHEMA_ID = ${id.j1}, 'schema.evolution' = 'fail');
INSERT INTO j VALUES (1, 2);
SELECT * FROM j_closed;
CREATE STREAM p (id INT) WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF', PARTITIONS = 1);
CREATE STREAM p_closed WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF', 'schema.evolution' = 'fail');
ALTER STREAM p ADD COLUMN more INT;
INSERT INTO p VALUES (1, 2);
SELECT * FROM p_closed;
-- JSON has no schema: each field must have a column.
-- topic: ${prefix}n partitions=1
-- record: ${prefix}n {"ID": 1, "st": {"x": 1}}
-- record: ${prefix}n {"id": 2, "st": {"x": 1, "y": [1]}}
-- record: ${prefix}n {"id": 3, "new": null}
CREATE STREAM n (id INT, st STRUCT<x INT>) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON', 'schema.evolution' = 'fail', ON_ERROR = 'null');
SELECT *, _error FROM n;
CREATE STREAM n_open (id INT, st STRUCT<x INT>) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON', 'schema.evolution' = 'ignore');
SELECT * FROM n_open;
CREATE STREAM wrong (id INT) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'DELIMITED', 'schema.evolution' = 'fail');
CREATE STREAM wrong (id INT) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON', 'schema.evolution' = 'new');
CREATE TABLE flink (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}n', 'format' = 'json', 'schema.evolution' = 'fail');
SELECT * FROM flink;
