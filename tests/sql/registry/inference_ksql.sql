-- In ksqlDB's dialect columns are found as Connect finds them: members of unions by their types, uint64 as BIGINT.
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: 0x00[0-9a-f]{8} => 0x${id}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z0-9]+_\d+ => ${query}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${time}
-- schema: av ${prefix}a-value {"type":"record","name":"R","namespace":"acme","fields":[{"name":"un","type":["int","string"]},{"name":"several","type":["null","string",{"type":"record","name":"In","fields":[{"name":"camelCase","type":"int"}]},{"type":"array","items":"int"}]}]}
-- schema: pv ${prefix}p-value PROTOBUF syntax = "proto3"; message M { uint64 u = 1; map<string, fixed64> m = 2; }
-- topic: ${prefix}a partitions=1
-- topic: ${prefix}p partitions=1
CREATE STREAM a WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO');
DESCRIBE a;
INSERT INTO a VALUES (STRUCT(int := 9), STRUCT(string := 'q'));
INSERT INTO a VALUES (STRUCT(string := 'x'), STRUCT(`IN` := STRUCT(camelCase := 7)));
INSERT INTO a VALUES (STRUCT(string := 'y', int := 1), NULL);
SELECT un->int, un->string, several->string, several->`IN`->camelCase, several->`ARRAY` FROM a EMIT CHANGES LIMIT 2;
CREATE STREAM b AS SELECT un, several FROM a;
SELECT * FROM b;
CREATE STREAM p WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF');
DESCRIBE p;
INSERT INTO p VALUES (5, MAP('a' := 6));
SELECT * FROM p;
-- Outside the dialect they have Spark's names.
SET spark.kafkalyst.dialect = spark;
CREATE STREAM s WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO');
DESCRIBE s;
SELECT un, several FROM s;
