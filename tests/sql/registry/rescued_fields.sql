-- SCHEMA.EVOLUTION=rescue: the fields of a value that have no column are in the column _rescued, as JSON.
-- replace: schema id \d+ => schema id ${id}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- schema: j1 ${prefix}j-value JSON {"type":"object","title":"J","additionalProperties":false,"properties":{"id":{"type":"integer"},"st":{"type":"object","additionalProperties":false,"properties":{"x":{"type":"integer"}}}}}
-- schema: j2 ${prefix}j-value JSON {"type":"object","title":"J","additionalProperties":false,"properties":{"id":{"type":"integer"},"st":{"type":"object","additionalProperties":false,"properties":{"x":{"type":"integer"},"y":{"type":"string"}}},"more":{"type":"number"}}}
CREATE STREAM a (id INT, st STRUCT<x INT>) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
CREATE STREAM a_open WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO', 'schema.evolution' = 'rescue');
DESCRIBE a_open;
INSERT INTO a VALUES (1, named_struct('x', 1));
ALTER STREAM a ADD COLUMN more ARRAY<STRUCT<y INT>>;
INSERT INTO a VALUES (2, named_struct('x', 2), array(named_struct('y', 3), NULL));
ALTER STREAM a ADD COLUMN at TIMESTAMP;
ALTER STREAM a ADD COLUMN raw BINARY;
ALTER STREAM a ADD COLUMN m MAP<STRING, DECIMAL(10, 2)>;
INSERT INTO a (id, at, raw, m) VALUES (3, TIMESTAMP '2026-01-02 03:04:05.678Z', X'0102', map('k', 1.50BD));
INSERT INTO a (id) VALUES (4);
SELECT * FROM a_open;
SELECT get_json_object(_rescued, '$.more[0].y') AS y FROM a_open WHERE _rescued IS NOT NULL;
SELECT count(*) FROM a_open WHERE _rescued IS NULL;
SELECT id FROM a_open;
-- A column that is added is no longer among them.
ALTER STREAM a_open REFRESH SCHEMA;
SELECT * FROM a_open;
-- A column for each field of the value that none has, also those of the schema at the time of CREATE; under any name.
CREATE STREAM a_part (id INT, others STRING METADATA FROM 'value.rescued' VIRTUAL) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO');
SELECT * FROM a_part;
ALTER STREAM a_part ADD COLUMN st STRUCT<x INT>;
SELECT others FROM a_part WHERE id <= 3;
-- It is only read.
INSERT INTO a_open (id, _rescued) VALUES (5, '{}');
CREATE STREAM j WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON_SR', VALUE_SCHEMA_ID = ${id.j2}, PARTITIONS = 1);
CREATE STREAM j_open WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON_SR', VALUE_SCHEMA_ID = ${id.j1}, 'schema.evolution' = 'rescue');
INSERT INTO j VALUES (1, named_struct('x', 1, 'y', 'z'), 2.5);
INSERT INTO j (id) VALUES (2);
SELECT * FROM j_open;
CREATE STREAM p (id INT, st STRUCT<x INT>) WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF', PARTITIONS = 1);
CREATE STREAM p_open WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF', 'schema.evolution' = 'rescue');
INSERT INTO p VALUES (1, named_struct('x', 1));
ALTER STREAM p ADD COLUMN more INT;
ALTER STREAM p ADD COLUMN inner STRUCT<at TIMESTAMP>;
INSERT INTO p VALUES (2, named_struct('x', 1), 2, named_struct('at', TIMESTAMP '2026-01-02 03:04:05Z'));
SELECT * FROM p_open;
-- topic: ${prefix}n partitions=1
-- record: ${prefix}n {"ID": 1, "st": {"x": 1}}
-- record: ${prefix}n {"id": 2, "st": {"x": 1, "y": [1, null, 1.10]}, "big": 12345678901234567890.10, "l": [{"a": 1}, {"b": {"c": "ä\n"}}], "m": {"k": {"a": 1, "z": true}, "l": {}}}
-- record: ${prefix}n {"id": 3, "new": null, "st": null}
-- record: ${prefix}n null
-- record: ${prefix}n {"_rescued": "x", "id": 4}
-- record: ${prefix}n {"id": "no number", "b": 1}
CREATE STREAM n (id INT, st STRUCT<x INT>, l ARRAY<STRUCT<a INT>>, m MAP<STRING, STRUCT<a INT>>) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON', 'schema.evolution' = 'rescue', ON_ERROR = 'null');
SELECT id, _rescued, _error IS NULL AS good FROM n;
SELECT _rescued FROM n;
SHOW CREATE TABLE n;
-- Of a TABLE, a sink, a Flink table; what is written has no such field.
-- topic: ${prefix}t partitions=1
-- record: ${prefix}t key=k1 {"v": 1, "w": 2}
-- record: ${prefix}t key=k1 {"v": 3}
-- record: ${prefix}t key=k2 {"v": 4, "w": 5}
CREATE TABLE t (k STRING PRIMARY KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', 'schema.evolution' = 'rescue');
SELECT * FROM t;
CREATE TABLE f (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'schema.evolution' = 'rescue');
SELECT * FROM f;
CREATE STREAM sink WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1, KAFKA_TOPIC = '${prefix}sink', 'schema.evolution' = 'rescue') AS SELECT v AS id, 'x' AS more FROM f;
DESCRIBE sink;
INSERT INTO sink SELECT v, _rescued FROM f WHERE v = 4;
SELECT * FROM sink WHERE more <> 'x';
CREATE OR REPLACE STREAM n (id INT, st STRUCT<x INT>, l ARRAY<STRUCT<a INT>>, m MAP<STRING, STRUCT<a INT>>, big STRING) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON', 'schema.evolution' = 'rescue', ON_ERROR = 'null');
SELECT big, _rescued FROM n WHERE id = 4 OR big IS NOT NULL;
CREATE STREAM a_offset (id INT, more BIGINT METADATA FROM 'offset' VIRTUAL) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO');
ALTER STREAM a_offset REFRESH SCHEMA;
-- Names and formats that cannot have it.
CREATE STREAM wrong (id INT, _Rescued STRING) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON', 'schema.evolution' = 'rescue');
ALTER STREAM n ADD COLUMN _rescued INT;
CREATE STREAM wrong WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1, 'schema.evolution' = 'rescue') AS SELECT * FROM n;
CREATE STREAM wrong (id INT) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'DEBEZIUM_JSON', 'schema.evolution' = 'rescue');
ALTER TABLE a SET TBLPROPERTIES ('schema.evolution' = 'rescue');
ALTER TABLE a SET TBLPROPERTIES ('schema.evolution' = 'add');
ALTER STREAM a ADD COLUMN _rescued STRING METADATA FROM 'value.rescued' VIRTUAL;
ALTER TABLE a SET TBLPROPERTIES ('schema.evolution' = 'rescue');
SELECT id, _rescued FROM a;
CREATE STREAM wrong (id INT) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'DELIMITED', 'schema.evolution' = 'rescue');
CREATE STREAM wrong (id INT, x STRING METADATA FROM 'value.rescued' VIRTUAL) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'DELIMITED');
CREATE STREAM wrong (id INT, x INT METADATA FROM 'value.rescued' VIRTUAL) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON');
CREATE STREAM wrong (id INT, x STRING METADATA FROM 'value.rescued' VIRTUAL) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON', 'schema.evolution' = 'fail');
CREATE STREAM wrong (id INT) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON', 'schema.evolution' = 'add');
