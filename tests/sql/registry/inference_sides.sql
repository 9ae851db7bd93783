-- One side or both looked up in the registry, by subject or id, in each format with schemas.
-- conf: spark.kafkalyst.identifiers=upper
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (CSAS|CTAS|INSERTQUERY)_([A-Z0-9]+)_\d+ => ${query}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${time}
-- schema: rv ${prefix}r-value {"type":"record","name":"R","fields":[{"name":"id","type":"long"},{"name":"inner","type":{"type":"record","name":"In","fields":[{"name":"x","type":"int"},{"name":"Y","type":"string"}]}},{"name":"nul","type":"null"}]}
-- schema: rk ${prefix}r-key {"type":"record","name":"K","fields":[{"name":"a","type":"long"},{"name":"b","type":"string"}]}
-- schema: lk ${prefix}l-key "long"
-- schema: lv ${prefix}l-value "string"
-- schema: k1 ${prefix}k1-key {"type":"record","name":"K","fields":[{"name":"a","type":"long"}]}
-- schema: k1v ${prefix}k1-value {"type":"record","name":"K","fields":[{"name":"a","type":"long"}]}
-- schema: jsk ${prefix}js-key JSON {"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}}}
-- schema: jsv ${prefix}js-value JSON {"type":"object","properties":{"A":{"type":"integer"},"bb":{"type":"object","properties":{"c":{"type":"number"}}}}}
-- schema: jbv ${prefix}jb-value JSON {"$schema":"http://json-schema.org/draft-07/schema#","type":"integer"}
-- schema: jbk ${prefix}jb-key JSON {"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}
-- schema: pbk ${prefix}pb-key PROTOBUF syntax = "proto3"; message K { int64 a = 1; }
-- schema: pbv ${prefix}pb-value PROTOBUF syntax = "proto3"; message V { int64 a = 1; string Bc = 2; message N { int32 q = 1; } N n = 3; }
-- schema: pk2 ${prefix}pk2-key PROTOBUF syntax = "proto3"; message K { int64 a = 1; string b = 2; }
-- schema: pm ${prefix}pm-value PROTOBUF syntax = "proto3"; message A { int64 a = 1; } message B { int64 b = 1; }
-- schema: arr ${prefix}arr-value {"type":"array","items":"int"}
-- schema: mp ${prefix}mp-value {"type":"map","values":"int"}
-- schema: un ${prefix}un-value ["int","string"]
-- schema: mapk ${prefix}mapk-key {"type":"record","name":"K","fields":[{"name":"m","type":{"type":"map","values":"int"}}]}
CREATE STREAM r1 WITH (kafka_topic='${prefix}r', format='avro', partitions=1);
DESCRIBE r1;
CREATE STREAM r2 (k BIGINT KEY) WITH (kafka_topic='${prefix}r', key_format='kafka', value_format='avro');
DESCRIBE r2;
CREATE STREAM r3 (v INT, w INT) WITH (kafka_topic='${prefix}r', key_format='avro', value_format='json');
DESCRIBE r3;
CREATE STREAM r4 (k BIGINT KEY, h ARRAY<STRUCT<key STRING, value BYTES>> HEADERS) WITH (kafka_topic='${prefix}r', key_format='kafka', value_format='avro');
DESCRIBE r4;
CREATE STREAM r5 (h BYTES HEADER('x')) WITH (kafka_topic='${prefix}r', format='avro');
DESCRIBE r5;
CREATE TABLE rt WITH (kafka_topic='${prefix}r', value_format='avro');
CREATE TABLE rt2 WITH (kafka_topic='${prefix}r', format='avro');
DESCRIBE rt2;
CREATE TABLE rt3 (id BIGINT PRIMARY KEY) WITH (kafka_topic='${prefix}r', value_format='avro');
CREATE STREAM l1 WITH (kafka_topic='${prefix}l', format='avro', partitions=1);
CREATE STREAM l2 WITH (kafka_topic='${prefix}l', format='avro', partitions=1, wrap_single_value=false);
DESCRIBE l2;
CREATE STREAM l3 WITH (kafka_topic='${prefix}l', key_format='kafka', value_format='avro', partitions=1, value_schema_id=${id.lv});
CREATE STREAM l4 WITH (kafka_topic='${prefix}l', value_format='avro', partitions=1, value_schema_id=${id.lv});
CREATE STREAM l5 WITH (kafka_topic='${prefix}l', value_format='avro', partitions=1, value_schema_id=${id.lv}, wrap_single_value=false);
DESCRIBE l5;
CREATE STREAM k1 WITH (kafka_topic='${prefix}k1', format='avro', partitions=1);
DESCRIBE k1;
CREATE STREAM k1b WITH (kafka_topic='${prefix}k1', value_format='avro', wrap_single_value=false);
DESCRIBE k1b;
CREATE STREAM k1c WITH (kafka_topic='${prefix}k1', value_format='avro', wrap_single_value=true);
DESCRIBE k1c;
CREATE STREAM js1 WITH (kafka_topic='${prefix}js', format='json_sr', partitions=1);
DESCRIBE js1;
CREATE STREAM jb1 WITH (kafka_topic='${prefix}jb', format='json_sr', partitions=1);
CREATE STREAM jb2 WITH (kafka_topic='${prefix}jb', format='json_sr', partitions=1, wrap_single_value=false);
DESCRIBE jb2;
CREATE STREAM pb1 WITH (kafka_topic='${prefix}pb', format='protobuf', partitions=1);
DESCRIBE pb1;
CREATE STREAM pb2 WITH (kafka_topic='${prefix}pb', key_format='protobuf', value_format='protobuf', key_schema_id=${id.pbk}, value_schema_id=${id.pbv}, partitions=1);
DESCRIBE pb2;
CREATE STREAM pk2 (v INT) WITH (kafka_topic='${prefix}pk2', key_format='protobuf', value_format='json', partitions=1);
DESCRIBE pk2;
CREATE STREAM pm WITH (kafka_topic='${prefix}pm', value_format='protobuf', partitions=1);
CREATE STREAM pm WITH (kafka_topic='${prefix}pm', value_format='protobuf', value_schema_full_name='C', partitions=1);
CREATE STREAM pm WITH (kafka_topic='${prefix}pm', value_format='protobuf', value_schema_full_name='B', partitions=1);
DESCRIBE pm;
CREATE STREAM ar WITH (kafka_topic='${prefix}arr', value_format='avro', partitions=1);
CREATE STREAM ar WITH (kafka_topic='${prefix}arr', value_format='avro', wrap_single_value=false, partitions=1);
DESCRIBE ar;
CREATE STREAM mp WITH (kafka_topic='${prefix}mp', value_format='avro', wrap_single_value=false, partitions=1);
CREATE STREAM un WITH (kafka_topic='${prefix}un', value_format='avro', wrap_single_value=false, partitions=1);
DESCRIBE un;
CREATE STREAM mk (v INT) WITH (kafka_topic='${prefix}mapk', key_format='avro', value_format='json', partitions=1);
CREATE STREAM id1 WITH (kafka_topic='${prefix}id1', key_format='avro', value_format='avro', key_schema_id=${id.rk}, value_schema_id=${id.rv}, partitions=1);
DESCRIBE id1;
INSERT INTO id1 VALUES (STRUCT(a := 1, b := 'x'), 5, STRUCT(x := 1, `Y` := 'y'));
SELECT * FROM id1;
CREATE STREAM id2 WITH (kafka_topic='${prefix}id2', format='avro', value_schema_id=${id.rv}, partitions=1);
CREATE STREAM id3 WITH (kafka_topic='${prefix}id3', format='json_sr', key_schema_id=${id.jsk}, value_schema_id=${id.jsv}, partitions=1);
DESCRIBE id3;
CREATE STREAM id4 WITH (kafka_topic='${prefix}id3', format='json_sr', key_schema_id=${id.rk}, value_schema_id=${id.jsv}, partitions=1);
CREATE STREAM id5 WITH (kafka_topic='${prefix}id5', key_format='json', value_format='json_sr', key_schema_id=${id.jsk}, value_schema_id=${id.jsv}, partitions=1);
CREATE TABLE id6 WITH (kafka_topic='${prefix}id6', value_format='avro', value_schema_id=${id.rv}, partitions=1);
CREATE TABLE id7 (k STRING PRIMARY KEY) WITH (kafka_topic='${prefix}id7', value_format='avro', value_schema_id=${id.rv}, partitions=1);
DESCRIBE id7;
CREATE STREAM id8 (k STRING KEY) WITH (kafka_topic='${prefix}id8', key_format='avro', value_format='avro', key_schema_id=${id.rk}, partitions=1);
CREATE STREAM id9 WITH (kafka_topic='${prefix}id9', value_format='avro', value_schema_id=-1, partitions=1);
CREATE STREAM id9 WITH (kafka_topic='${prefix}id9', value_format='avro', value_schema_id=999999, partitions=1);
CREATE STREAM id9 (a INT) WITH (kafka_topic='${prefix}id9', value_format='avro', value_schema_id=999999, partitions=1);
