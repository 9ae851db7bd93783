-- Key schemas that ksqlDB registered: Kafka Connect's names of types do not make other keys of them.
-- conf: spark.kafkalyst.dialect=ksqldb
-- schema: avro ${prefix}agg-key {"type":"record","name":"AggKey","namespace":"io.confluent.ksql.avro_schemas","fields":[{"name":"A","type":["null","int"],"default":null},{"name":"D","type":["null",{"type":"int","connect.version":1,"connect.name":"org.apache.kafka.connect.data.Date","logicalType":"date"}],"default":null}],"connect.name":"io.confluent.ksql.avro_schemas.AggKey"}
-- schema: json ${prefix}jsr-key JSON {"type":"object","properties":{"A":{"connect.index":0,"oneOf":[{"type":"null"},{"type":"integer","connect.type":"int32"}]},"B":{"connect.index":1,"oneOf":[{"type":"null"},{"type":"string"}]}}}
-- schema: other ${prefix}other-key {"type":"record","name":"OtherKey","namespace":"io.confluent.ksql.avro_schemas","fields":[{"name":"A","type":["null","long"],"default":null},{"name":"B","type":["null","string"],"default":null}]}
-- topic: ${prefix}agg partitions=1
-- topic: ${prefix}jsr partitions=1
-- topic: ${prefix}other partitions=1
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: CTAS_[A-Z]+_\d+ => ${query}
CREATE STREAM s (a INT, b STRING, d DATE) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s (a, b, d) VALUES (1, 'x', '2024-05-06');
CREATE TABLE agg WITH (KAFKA_TOPIC = '${prefix}agg', FORMAT = 'AVRO') AS SELECT a, d, COUNT(*) AS n FROM s GROUP BY a, d;
SELECT * FROM agg;
CREATE TABLE jsr WITH (KAFKA_TOPIC = '${prefix}jsr', FORMAT = 'JSON_SR') AS SELECT a, b, COUNT(*) AS n FROM s GROUP BY a, b;
SELECT * FROM jsr;
-- Other types are other keys.
CREATE TABLE other WITH (KAFKA_TOPIC = '${prefix}other', FORMAT = 'AVRO') AS SELECT a, b, COUNT(*) AS n FROM s GROUP BY a, b;
