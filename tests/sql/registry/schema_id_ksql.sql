-- In ksqlDB's dialect the columns of a query must be those that CREATE would infer from the id: ROWKEY and ROWVAL for a
-- key that is not PROTOBUF and for a value that is not a record.
-- conf: spark.kafkalyst.dialect=ksqldb
-- schema: number ${prefix}number "int"
-- schema: text ${prefix}text ["null", "string"]
-- schema: pair ${prefix}pair {"type":"record","name":"Pair","fields":[{"name":"K","type":["null","int"],"default":null},{"name":"V","type":["null","string"],"default":null}]}
-- schema: message ${prefix}message PROTOBUF syntax = "proto3"; message M { int32 K = 1; }
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z0-9]+_\d+ => ${query}
CREATE STREAM s (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}s', FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO s VALUES (1, 'a');
CREATE STREAM k1 WITH (KAFKA_TOPIC = '${prefix}k1', KEY_SCHEMA_ID = ${id.number}) AS SELECT k AS rowkey, v FROM s;
SELECT * FROM k1;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}e', KEY_SCHEMA_ID = ${id.number}) AS SELECT k, v FROM s;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}e', KEY_SCHEMA_ID = ${id.pair}) AS SELECT k, v, 1 AS one FROM s PARTITION BY k, v;
CREATE STREAM k2 WITH (KAFKA_TOPIC = '${prefix}k2', KEY_SCHEMA_ID = ${id.pair}) AS SELECT STRUCT(k := k, v := v) AS rowkey, v FROM s PARTITION BY STRUCT(k := k, v := v);
SELECT * FROM k2;
CREATE STREAM k3 WITH (KAFKA_TOPIC = '${prefix}k3', KEY_FORMAT = 'PROTOBUF', KEY_SCHEMA_ID = ${id.message}) AS SELECT k, v FROM s;
SELECT * FROM k3;
CREATE STREAM v1 WITH (KAFKA_TOPIC = '${prefix}v1', VALUE_SCHEMA_ID = ${id.text}, WRAP_SINGLE_VALUE = FALSE) AS SELECT k, v AS rowval FROM s;
SELECT * FROM v1;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}e', VALUE_SCHEMA_ID = ${id.text}, WRAP_SINGLE_VALUE = FALSE) AS SELECT k, v FROM s;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}e', VALUE_SCHEMA_ID = ${id.text}) AS SELECT k, v AS rowval FROM s;
CREATE STREAM v2 WITH (KAFKA_TOPIC = '${prefix}v2', VALUE_SCHEMA_ID = ${id.pair}) AS SELECT k AS key, AS_VALUE(k) AS k, v FROM s;
SELECT * FROM v2;
-- Without the dialect a key without field names takes any column of its type.
SET spark.kafkalyst.dialect = spark;
CREATE STREAM k4 WITH (KAFKA_TOPIC = '${prefix}k4', KEY_SCHEMA_ID = ${id.number}) AS SELECT K, V FROM S;
SELECT * FROM k4;
