-- In ksqlDB's dialect a derived AVRO schema has MAPs as ksqlDB writes them; a subject that has another form keeps it.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- schema: known ${prefix}KNOWN-value {"type":"record","name":"KsqlDataSourceSchema","namespace":"io.confluent.ksql.avro_schemas","fields":[{"name":"M","type":["null",{"type":"map","values":["null","int"]}],"default":null}]}
-- schema: theirs ${prefix}THEIRS-value {"type":"record","name":"KsqlDataSourceSchema","namespace":"io.confluent.ksql.avro_schemas","fields":[{"name":"M","type":["null",{"type":"array","items":{"type":"record","name":"KsqlDataSourceSchema_M","fields":[{"name":"key","type":["null","string"],"default":null},{"name":"value","type":["null","int"],"default":null}],"connect.internal.type":"MapEntry"},"connect.name":"io.confluent.ksql.avro_schemas.KsqlDataSourceSchema_M"}],"default":null}],"connect.name":"io.confluent.ksql.avro_schemas.KsqlDataSourceSchema"}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
CREATE STREAM s (k INT KEY, m MAP<STRING, INT>, n MAP<STRING, ARRAY<STRUCT<x INT, i MAP<STRING, STRING>>>>) WITH (KAFKA_TOPIC = '${prefix}s', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1, MAP('a' := 1, 'b' := NULL), MAP('c' := ARRAY[STRUCT(x := 2, i := MAP('d' := 'e'))]));
INSERT INTO s (k) VALUES (2);
CREATE STREAM made WITH (VALUE_FORMAT = 'AVRO') AS SELECT k, m, n FROM s;
SELECT * FROM made;
CREATE STREAM more (k INT KEY, m MAP<STRING, INT>) WITH (KAFKA_TOPIC = '${prefix}MADE', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'AVRO');
ALTER STREAM more ADD COLUMN o MAP<STRING, INT>;
INSERT INTO more (k, o) VALUES (3, MAP('f' := 4));
SELECT * FROM more;
CREATE STREAM known WITH (VALUE_FORMAT = 'AVRO') AS SELECT k, m FROM s;
CREATE STREAM knows (k INT KEY, m MAP<STRING, INT>) WITH (KAFKA_TOPIC = '${prefix}KNOWN', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'AVRO');
ALTER STREAM knows ADD COLUMN o MAP<STRING, INT>;
INSERT INTO knows VALUES (4, MAP('h' := 6), MAP('i' := 7));
SELECT * FROM knows;
CREATE STREAM theirs WITH (VALUE_FORMAT = 'AVRO') AS SELECT k, m FROM s;
SELECT * FROM theirs;
-- Without the dialect the forms show, and are kept as well.
SET spark.kafkalyst.dialect = spark;
CREATE STREAM made_forms (k INT KEY) WITH (KAFKA_TOPIC = '${prefix}MADE', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'AVRO');
DESCRIBE made_forms;
SELECT M, N, O FROM made_forms;
CREATE STREAM known_forms (k INT KEY) WITH (KAFKA_TOPIC = '${prefix}KNOWN', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'AVRO');
DESCRIBE known_forms;
CREATE STREAM also (k INT KEY, M MAP<STRING, INT>) WITH (KAFKA_TOPIC = '${prefix}THEIRS', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'AVRO');
INSERT INTO also VALUES (5, map('j', 8));
SELECT * FROM also;
