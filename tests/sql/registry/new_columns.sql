-- SCHEMA.EVOLUTION=add: the fields of new versions of the value's schema are columns, in the object and in what its queries fill.
-- replace: schema id \d+ => schema id ${id}
-- replace: schema\.id' = '\d+' => schema.id' = '${id}'
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z_0-9]+_\d+ => ${query}
CREATE STREAM a (k INT KEY, id INT, st STRUCT<x INT>) WITH (KAFKA_TOPIC = '${prefix}a', FORMAT = 'AVRO', PARTITIONS = 1);
CREATE STREAM grows WITH (KAFKA_TOPIC = '${prefix}a', FORMAT = 'AVRO', 'schema.evolution' = 'add');
-- Fields of the first version that it was declared without are not new.
CREATE STREAM part (id INT) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO', 'schema.evolution' = 'add', ON_ERROR = 'skip');
INSERT INTO a VALUES (1, 1, named_struct('x', 1));
SELECT * FROM grows;
ALTER STREAM a ADD COLUMN more ARRAY<STRUCT<y INT>>;
INSERT INTO a VALUES (2, 2, named_struct('x', 2), array(named_struct('y', 3)));
SELECT * FROM grows;
SELECT * FROM part;
SELECT more[0].y AS y FROM grows WHERE more IS NOT NULL;
DESCRIBE grows;
-- Rows are written with the new version.
INSERT INTO grows VALUES (3, 3, named_struct('x', 3), array());
SELECT * FROM a;
-- What a query fills gains columns too.
CREATE STREAM copy AS SELECT * FROM grows;
CREATE STREAM few AS SELECT id FROM grows;
SHOW CREATE TABLE copy;
-- Unless its definition says otherwise.
CREATE STREAM fixed WITH ('schema.evolution' = 'ignore') AS SELECT * FROM grows;
SHOW CREATE TABLE fixed;
-- PROTOBUF and JSON_SR.
CREATE STREAM p (id INT) WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF', PARTITIONS = 1);
CREATE STREAM p_grows WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF', 'schema.evolution' = 'add');
ALTER STREAM p ADD COLUMN more STRING;
INSERT INTO p VALUES (1, 'one');
SELECT * FROM p_grows;
-- schema: j1 ${prefix}j-value JSON {"type":"object","title":"J","properties":{"id":{"type":"integer"}},"additionalProperties":false}
-- schema: j2 ${prefix}j-value JSON {"type":"object","title":"J","properties":{"id":{"type":"integer"},"more":{"type":"integer"}},"additionalProperties":false}
CREATE STREAM j2 WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON_SR', VALUE_SCHEMA_ID = ${id.j2}, PARTITIONS = 1);
CREATE STREAM j_grows (id BIGINT) WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON_SR', 'schema.evolution' = 'add');
INSERT INTO j2 VALUES (1, 2);
SELECT * FROM j_grows;
-- A record without a schema says no type, and a given schema has its columns.
CREATE STREAM wrong (id INT) WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON', 'schema.evolution' = 'add');
CREATE STREAM wrong WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON_SR', VALUE_SCHEMA_ID = ${id.j1}, 'schema.evolution' = 'add');
ALTER TABLE j2 SET TBLPROPERTIES ('schema.evolution' = 'add');
-- ALTER turns it on and off.
CREATE STREAM later (id INT, st STRUCT<x INT>) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO');
ALTER TABLE later SET TBLPROPERTIES ('schema.evolution' = 'add');
SELECT * FROM later;
ALTER TABLE later SET TBLPROPERTIES ('schema.evolution' = 'ignore');
SELECT * FROM later;
