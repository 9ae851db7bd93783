-- A record within itself is not a column: its field is left out and told; a schema of nothing else is refused.
-- schema: tree ${prefix}tree-value {"type":"record","name":"Tree","fields":[{"name":"v","type":"int"},{"name":"left","type":["null","Tree"],"default":null},{"name":"all","type":{"type":"array","items":"Tree"},"default":[]},{"name":"box","type":["null",{"type":"record","name":"Box","fields":[{"name":"w","type":"int"},{"name":"t","type":["null","Tree"],"default":null}]}],"default":null}]}
-- schema: only ${prefix}only-value {"type":"record","name":"L","fields":[{"name":"next","type":["null","L"],"default":null}]}
-- schema: jtree ${prefix}jtree-value JSON {"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"v":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#"}}}}
-- schema: ptree ${prefix}ptree-value PROTOBUF syntax = "proto3"; message T { int32 v = 1; T left = 2; repeated T kids = 3; map<string, T> named = 4; message B { int32 w = 1; T t = 2; } B box = 5; }
-- schema: mutual ${prefix}mutual-value {"type":"record","name":"R0","fields":[{"name":"v","type":"int"},{"name":"a","type":["null",{"type":"record","name":"R1","fields":[{"name":"a","type":["null",{"type":"record","name":"R2","fields":[{"name":"a","type":["null",{"type":"record","name":"R3","fields":[{"name":"x","type":["null","R0"]},{"name":"y","type":["null","R1"]},{"name":"z","type":["null","R2"]}]}]}]}]}]}]}]}
CREATE STREAM tree WITH (KAFKA_TOPIC='${prefix}tree', PARTITIONS=1, VALUE_FORMAT='AVRO');
DESCRIBE tree;
INSERT INTO tree VALUES (1, STRUCT(2 AS w));
SELECT * FROM tree;
CREATE STREAM only WITH (KAFKA_TOPIC='${prefix}only', PARTITIONS=1, VALUE_FORMAT='AVRO');
CREATE STREAM jtree WITH (KAFKA_TOPIC='${prefix}jtree', PARTITIONS=1, VALUE_FORMAT='JSON_SR');
DESCRIBE jtree;
INSERT INTO jtree VALUES (1);
SELECT * FROM jtree;
CREATE STREAM ptree WITH (KAFKA_TOPIC='${prefix}ptree', PARTITIONS=1, VALUE_FORMAT='PROTOBUF');
DESCRIBE ptree;
INSERT INTO ptree VALUES (1, STRUCT(2 AS w));
SELECT * FROM ptree;
CREATE STREAM mutual WITH (KAFKA_TOPIC='${prefix}mutual', PARTITIONS=1, VALUE_FORMAT='AVRO');
DESCRIBE mutual;
