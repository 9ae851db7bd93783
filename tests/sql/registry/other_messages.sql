-- Messages, titled JSON and keys of another type in the topic: a record is read only as what it is, by its name.
-- schema: placed ${prefix}placed PROTOBUF syntax = "proto3"; package shop; message Placed { int32 id = 1; string n = 2; }
-- schema: lost ${prefix}lost PROTOBUF syntax = "proto3"; package shop; message Lost { int32 id = 1; int32 y = 3; }
-- schema: both ${prefix}both PROTOBUF syntax = "proto3"; package shop; message Placed { int32 id = 1; string n = 2; } message Lost { int32 id = 1; string n = 2; }
-- schema: jplaced ${prefix}t-shop.Placed JSON {"title":"shop.Placed","type":"object","properties":{"id":{"type":"integer"}}}
-- schema: jlost ${prefix}t-shop.Lost JSON {"title":"shop.Lost","type":"object","properties":{"id":{"type":"integer"}}}
-- schema: v1 ${prefix}titles-value JSON {"title":"Order","type":"object","properties":{"id":{"type":"integer"}}}
-- schema: v2 ${prefix}titles2 JSON {"title":"Order 2","type":"object","properties":{"id":{"type":"integer"}}}
-- schema: kp ${prefix}kp {"type":"record","name":"PlacedKey","namespace":"shop","fields":[{"name":"id","type":"long"}]}
-- schema: kl ${prefix}kl {"type":"record","name":"LostKey","namespace":"shop","fields":[{"name":"id","type":"long"}]}
-- replace: schema id \d+ => schema id n
-- replace: offset \d+ => offset n
-- replace: begins with [0-9a-f ]+ => begins with these
CREATE STREAM placed WITH (KAFKA_TOPIC = '${prefix}p', PARTITIONS = 1, VALUE_FORMAT = 'PROTOBUF', VALUE_SUBJECT = '${prefix}placed');
CREATE STREAM lost WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF', VALUE_SUBJECT = '${prefix}lost');
INSERT INTO placed VALUES (1, 'n');
SELECT * FROM placed;
SELECT * FROM lost;
INSERT INTO lost VALUES (2, 3);
SELECT * FROM placed;
CREATE STREAM some WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF', VALUE_SUBJECT = '${prefix}placed', ON_ERROR = 'skip');
SELECT * FROM some;
-- Columns without a named message are read by their fields; a message with none of them is another one.
CREATE STREAM by_fields (id INT) WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF');
SELECT * FROM by_fields;
CREATE STREAM by_others (z INT) WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF', VALUE_SUBJECT = '${prefix}z');
SELECT * FROM by_others;
-- Two messages of one schema, told by their index.
CREATE STREAM first WITH (KAFKA_TOPIC = '${prefix}b', PARTITIONS = 1, VALUE_FORMAT = 'PROTOBUF', VALUE_SCHEMA_ID = ${id.both}, VALUE_SCHEMA_FULL_NAME = 'shop.Placed');
CREATE STREAM second WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'PROTOBUF', VALUE_SCHEMA_ID = ${id.both}, VALUE_SCHEMA_FULL_NAME = 'shop.Lost');
INSERT INTO second VALUES (1, 'b');
SELECT * FROM second;
SELECT * FROM first;
-- JSON_SR: a title is a type's name where the subject is of a type.
CREATE STREAM jplaced WITH (KAFKA_TOPIC = '${prefix}t', PARTITIONS = 1, VALUE_FORMAT = 'JSON_SR', VALUE_SUBJECT = '${prefix}t-shop.Placed');
CREATE STREAM jlost WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON_SR', VALUE_SUBJECT = '${prefix}t-shop.Lost');
INSERT INTO jlost VALUES (2);
SELECT * FROM jlost;
SELECT * FROM jplaced;
-- In a topic's own subject it may change with each version.
CREATE STREAM titled WITH (KAFKA_TOPIC = '${prefix}titles', PARTITIONS = 1, VALUE_FORMAT = 'JSON_SR');
CREATE STREAM second_title WITH (KAFKA_TOPIC = '${prefix}titles', VALUE_FORMAT = 'JSON_SR', VALUE_SCHEMA_ID = ${id.v2});
INSERT INTO second_title VALUES (1);
SELECT * FROM titled;
-- Keys of AVRO.
CREATE STREAM keyed (v INT) WITH (KAFKA_TOPIC = '${prefix}k', PARTITIONS = 1, FORMAT = 'AVRO', KEY_SUBJECT = '${prefix}kp');
CREATE STREAM others (v INT) WITH (KAFKA_TOPIC = '${prefix}k', FORMAT = 'AVRO', KEY_SUBJECT = '${prefix}kl');
INSERT INTO others VALUES (named_struct('id', 1), 2);
SELECT * FROM others;
SELECT * FROM keyed;
