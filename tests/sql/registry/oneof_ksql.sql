-- In ksqlDB's dialect a oneof is a column as in Connect: a STRUCT of its members, the first of the message's columns.
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: CSAS_[A-Z0-9]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- schema: pv ${prefix}p-value PROTOBUF syntax = "proto3"; message Event { int32 id = 1; oneof what { string text = 2; int64 number = 3; Part part = 4; } optional bool flag = 5; Inner inner = 6; repeated Inner list = 7; message Part { string camelCase = 1; repeated int32 n = 2; } message Inner { oneof a { int32 x = 1; } oneof b { string y = 2; bool z = 3; } } }
-- topic: ${prefix}p partitions=1
CREATE STREAM p WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF');
DESCRIBE p;
INSERT INTO p VALUES (STRUCT(text := 'x'), 1, true, STRUCT(a_0 := STRUCT(x := 5)), ARRAY[STRUCT(b_1 := STRUCT(z := false))]);
INSERT INTO p VALUES (STRUCT(number := 0), 2, NULL, STRUCT(b_1 := STRUCT(y := 'q')), ARRAY[STRUCT(a_0 := STRUCT(x := 1), b_1 := STRUCT(y := 'r'))]);
INSERT INTO p (what_0, id) VALUES (STRUCT(part := STRUCT(camelCase := 'c', n := ARRAY[1, 2])), 3);
INSERT INTO p (id) VALUES (4);
-- A oneof holds one member.
INSERT INTO p (what_0) VALUES (STRUCT(text := 'x', number := 1));
SELECT what_0->text, what_0->number, what_0->part->camelCase, id, flag, inner->a_0->x, inner->b_1->y, list FROM p EMIT CHANGES LIMIT 4;
SELECT what_0 IS NULL AS none, inner IS NULL AS no_inner FROM p EMIT CHANGES LIMIT 4;
-- By its id the schema's names stay; rows are written with it.
CREATE STREAM named WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF', VALUE_SCHEMA_ID = ${id.pv});
CREATE STREAM written WITH (VALUE_SCHEMA_ID = ${id.pv}) AS SELECT `what_0`, `id` + 10 AS `id` FROM named;
SELECT * FROM written;
CREATE STREAM derived AS SELECT what_0, id FROM p;
SELECT * FROM derived;
-- Outside the dialect members are columns of their own.
SET spark.kafkalyst.dialect = spark;
CREATE STREAM s WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF');
DESCRIBE s;
SELECT id, text, number, part, inner, list FROM s;
