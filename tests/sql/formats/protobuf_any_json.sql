-- Protobuf's Struct, Value and ListValue are JSON text; maps within keys have one order.
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${time}
-- replace: 0x00[0-9a-f]{8} => 0x${id}
-- schema: pstruct ${prefix}ps-value PROTOBUF syntax = "proto3"; import "google/protobuf/struct.proto"; message S { int32 id = 1; google.protobuf.Struct st = 2; google.protobuf.Value v = 3; google.protobuf.ListValue l = 4; repeated google.protobuf.Value vs = 5; }
CREATE STREAM ps WITH (KAFKA_TOPIC='${prefix}ps', PARTITIONS=1, VALUE_FORMAT='PROTOBUF');
DESCRIBE ps;
INSERT INTO ps VALUES (1, '{"a":1,"b":[true,null,"x",{"c":1.5}],"é":{}}', '[1,2]', '[{"q":[]}]', ARRAY('null','"s"','3'));
INSERT INTO ps VALUES (2, NULL, NULL, NULL, NULL);
SELECT * FROM ps;
INSERT INTO ps VALUES (1, '[1]', NULL, NULL, NULL);
INSERT INTO ps VALUES (1, '{bad', NULL, NULL, NULL);
CREATE STREAM mk (k MAP<STRING, INT> KEY, v INT) WITH (KAFKA_TOPIC='${prefix}mk', PARTITIONS=1, FORMAT='PROTOBUF');
INSERT INTO mk VALUES (map('b', 1, 'a', 2), 1), (map('a', 2, 'b', 1), 2);
SELECT * FROM mk;
PRINT '${prefix}mk';
CREATE STREAM mk_bytes (k BINARY KEY, v BINARY) WITH (KAFKA_TOPIC = '${prefix}mk', FORMAT = 'KAFKA');
SELECT hex(substr(k, 6)) AS k, hex(substr(v, 6)) AS v FROM mk_bytes;
CREATE STREAM mk2 (k STRUCT<m MAP<STRING, INT>> KEY, v INT) WITH (KAFKA_TOPIC='${prefix}mk2', PARTITIONS=1, FORMAT='PROTOBUF_NOSR');
INSERT INTO mk2 VALUES (STRUCT(map('b', 1, 'a', 2) AS m), 1), (STRUCT(map('a', 2, 'b', 1) AS m), 2);
PRINT '${prefix}mk2';
CREATE STREAM mk2_bytes (k BINARY KEY, v BINARY) WITH (KAFKA_TOPIC = '${prefix}mk2', FORMAT = 'KAFKA');
SELECT hex(k) AS k, hex(v) AS v FROM mk2_bytes;
