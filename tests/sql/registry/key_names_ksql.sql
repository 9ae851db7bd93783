-- ksqlDB names the record of AVRO keys after the stream or table; a subject that exists keeps its name.
-- conf: spark.kafkalyst.dialect=ksqldb
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: schema id \d+ => schema id n
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM my_keys (k1 INT KEY, k2 STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}other', FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO my_keys VALUES (1, 'a', 2);
CREATE STREAM second (k1 INT KEY, k2 STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}other', FORMAT = 'AVRO');
INSERT INTO second VALUES (3, 'b', 4);
SELECT * FROM my_keys;
CREATE TABLE agg_by WITH (KAFKA_TOPIC = '${prefix}agg-topic') AS SELECT v, k2, COUNT(*) AS n FROM my_keys GROUP BY v, k2;
-- Found only under the name that it has.
CREATE STREAM by_its_name WITH (KAFKA_TOPIC = '${prefix}other', AUTO_REGISTER = false, USE_LATEST = false, KEY_SCHEMA_FULL_NAME = 'io.confluent.ksql.avro_schemas.MyKeysKey') AS SELECT * FROM my_keys;
CREATE STREAM by_another WITH (KAFKA_TOPIC = '${prefix}other', AUTO_REGISTER = false, USE_LATEST = false, KEY_SCHEMA_FULL_NAME = 'io.confluent.ksql.avro_schemas.OtherKey') AS SELECT * FROM my_keys;
CREATE TABLE agg_by_its_name WITH (KAFKA_TOPIC = '${prefix}agg-topic', AUTO_REGISTER = false, USE_LATEST = false, KEY_SCHEMA_FULL_NAME = 'io.confluent.ksql.avro_schemas.AggByKey') AS SELECT v, k2, COUNT(*) AS n FROM my_keys GROUP BY v, k2;
