-- Under identifiers=upper the looked up columns are in upper case as in ksqlDB; those of a schema id keep their case.
-- conf: spark.kafkalyst.identifiers=upper
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: 0x00[0-9a-f]{8} => 0x${id}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (CSAS|CTAS|INSERTQUERY)_([A-Z0-9]+)_\d+ => ${query}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${time}
-- schema: rv ${prefix}r-value {"type":"record","name":"R","fields":[{"name":"id","type":"long"},{"name":"inner","type":{"type":"record","name":"In","fields":[{"name":"x","type":"int"},{"name":"Y","type":"string"},{"name":"arr","type":{"type":"array","items":{"type":"record","name":"I2","fields":[{"name":"zz","type":"int"}]}}}]}},{"name":"a","type":["null","int"],"default":null},{"name":"A","type":["null","int"],"default":null}]}
-- schema: rk ${prefix}r-key {"type":"record","name":"K","fields":[{"name":"a","type":"long"},{"name":"b","type":"string"}]}
-- schema: lk ${prefix}l-key "long"
-- schema: lv ${prefix}l-value "string"
-- schema: rowval ${prefix}rowval-value {"type":"record","name":"R","fields":[{"name":"ROWVAL","type":"long"}]}
-- schema: jsk ${prefix}js-key JSON {"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}}}
-- schema: jsv ${prefix}js-value JSON {"type":"object","properties":{"a":{"type":"integer"},"bb":{"type":"object","properties":{"c":{"type":"number"}}}}}
-- schema: pbk ${prefix}pb-key PROTOBUF syntax = "proto3"; message K { int64 a = 1; }
-- schema: pbv ${prefix}pb-value PROTOBUF syntax = "proto3"; message V { int64 a = 1; string Bc = 2; message N { int32 q = 1; } N n = 3; }
-- schema: pk2 ${prefix}pk2-key PROTOBUF syntax = "proto3"; message K { int64 a = 1; string b = 2; }
-- schema: flv ${prefix}fl-value {"type":"record","name":"F","fields":[{"name":"f","type":"float"}]}
-- schema: fpv ${prefix}fp-value PROTOBUF syntax = "proto3"; message V { float f = 1; }
-- schema: fjv ${prefix}fj-value JSON {"type":"object","properties":{"f":{"type":"number","connect.type":"float32"},"s":{"type":"integer","connect.type":"int16"}}}
CREATE STREAM r1 WITH (kafka_topic='${prefix}r', format='avro', partitions=1);
DESCRIBE r1;
INSERT INTO r1 (rowkey, id, inner) VALUES (STRUCT(a := 1, b := 'x'), 5, STRUCT(x := 1, Y := 'y', arr := ARRAY[STRUCT(zz := 3)]));
SELECT * FROM r1;
SELECT id, inner->x FROM r1;
PRINT '${prefix}r';
CREATE STREAM js1 WITH (kafka_topic='${prefix}js', format='json_sr', partitions=1);
DESCRIBE js1;
INSERT INTO js1 VALUES (STRUCT(a := 1, b := 'x'), 5, STRUCT(c := 1.5));
SELECT * FROM js1;
CREATE STREAM pb1 WITH (kafka_topic='${prefix}pb', format='protobuf', partitions=1);
CREATE STREAM pb1 (k INT KEY) WITH (kafka_topic='${prefix}pb', value_format='protobuf', partitions=1);
DESCRIBE pb1;
INSERT INTO pb1 VALUES (1, 2, 'b', STRUCT(q := 4));
SELECT * FROM pb1;
CREATE STREAM pk2 (v INT) WITH (kafka_topic='${prefix}pk2', key_format='protobuf', value_format='json', partitions=1);
CREATE STREAM pk2 (v INT) WITH (kafka_topic='${prefix}pk2', key_format='protobuf', value_format='json', partitions=1, key_columns='flatten');
DESCRIBE pk2;
CREATE STREAM l1 WITH (kafka_topic='${prefix}l', format='avro', partitions=1);
CREATE STREAM l1 WITH (kafka_topic='${prefix}l', format='avro', partitions=1, wrap_single_value=true);
CREATE STREAM l1 WITH (kafka_topic='${prefix}l', format='avro', partitions=1, value_schema_id=${id.lv}, key_schema_id=${id.lk});
CREATE STREAM rowval WITH (kafka_topic='${prefix}rowval', value_format='avro', partitions=1);
DESCRIBE rowval;
SET 'ksql.persistence.wrap.single.values'='false';
CREATE STREAM l1 WITH (kafka_topic='${prefix}l', format='avro', partitions=1);
CREATE STREAM rowval2 WITH (kafka_topic='${prefix}rowval', value_format='avro', partitions=1);
DESCRIBE rowval2;
UNSET 'ksql.persistence.wrap.single.values';
CREATE STREAM by_id WITH (kafka_topic='${prefix}by_id', format='avro', key_schema_id=${id.rk}, value_schema_id=${id.rv}, partitions=1);
DESCRIBE by_id;
CREATE STREAM pb2 WITH (kafka_topic='${prefix}pb', value_format='protobuf', value_schema_id=${id.pbv});
DESCRIBE pb2;
-- ksqlDB has no FLOAT and no SMALLINT: they are read as DOUBLE and INT, and written as the schema says.
CREATE STREAM fl WITH (kafka_topic='${prefix}fl', value_format='avro', partitions=1);
INSERT INTO fl (f) VALUES (1.1);
INSERT INTO fl (f) VALUES (1E300);
SELECT * FROM fl;
CREATE STREAM fp WITH (kafka_topic='${prefix}fp', value_format='protobuf', partitions=1);
INSERT INTO fp (f) VALUES (1.1);
SELECT * FROM fp;
CREATE STREAM fj WITH (kafka_topic='${prefix}fj', value_format='json_sr', partitions=1);
INSERT INTO fj (f, s) VALUES (1.1, 7);
INSERT INTO fj (f, s) VALUES (1E300, 7);
INSERT INTO fj (f, s) VALUES (1, 70000);
SELECT * FROM fj;
CREATE STREAM nearest WITH (value_format='avro', value_schema_id=${id.flv}) AS SELECT f AS `f` FROM fl;
PRINT '${prefix}NEAREST';
