-- A MAP that ksqlDB wrote to AVRO is an array of Connect's entries: it is read, inferred and written as a MAP.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- schema: m ${prefix}m-value {"type":"record","name":"KsqlDataSourceSchema","namespace":"io.confluent.ksql.avro_schemas","fields":[{"name":"L","type":["null",{"type":"array","items":{"type":"record","name":"KsqlDataSourceSchema_L","fields":[{"name":"key","type":["null","string"],"default":null},{"name":"value","type":["null","long"],"default":null}],"connect.internal.type":"MapEntry"}}],"default":null}]}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
-- replace: 202\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${now}
CREATE STREAM m (k INT KEY, l MAP<STRING, BIGINT>) WITH (KAFKA_TOPIC = '${prefix}m', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO m VALUES (1, MAP('a' := 1, 'b' := NULL));
INSERT INTO m VALUES (2, MAP('a' := 3));
INSERT INTO m (k) VALUES (3);
CREATE STREAM maps WITH (VALUE_FORMAT = 'JSON') AS SELECT k, l FROM m;
PRINT '${prefix}MAPS';
CREATE STREAM inferred (k INT KEY) WITH (KAFKA_TOPIC = '${prefix}m', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'AVRO');
DESCRIBE inferred;
SELECT k, l FROM inferred ORDER BY k;
