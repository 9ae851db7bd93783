-- In ksqlDB's dialect columns of an AVRO schema are those of Kafka Connect, which knows few logical types.
-- topic: ${prefix}t
-- avro: ${prefix}t {"type":"record","name":"R","fields":[{"name":"MS","type":{"type":"long","logicalType":"timestamp-millis"}},{"name":"US","type":{"type":"long","logicalType":"timestamp-micros"}},{"name":"LM","type":{"type":"long","logicalType":"local-timestamp-millis"}},{"name":"TU","type":{"type":"long","logicalType":"time-micros"}},{"name":"UU","type":{"type":"fixed","name":"U","size":16,"logicalType":"uuid"}},{"name":"DU","type":{"type":"fixed","name":"D","size":12,"logicalType":"duration"}},{"name":"DE","type":{"type":"fixed","name":"F","size":2,"logicalType":"decimal","precision":4,"scale":2}},{"name":"IL","type":["null","int","long"]},{"name":"FD","type":["float","double"]}]}
-- record: ${prefix}t {"MS":1000,"US":2000000,"LM":3000,"TU":4,"UU":"abcdefghijklmnop","DU":"abcdefghijkl","DE":"\u0001b","IL":{"int":5},"FD":{"double":0.5}}
-- record: ${prefix}t {"MS":1000,"US":2000000,"LM":3000,"TU":4,"UU":"abcdefghijklmnop","DU":"abcdefghijkl","DE":"\u0001b","IL":{"long":6000000000},"FD":{"float":0.25}}
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
CREATE STREAM plain WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO');
DESCRIBE plain;
SET spark.kafkalyst.dialect = ksqldb;
CREATE STREAM t WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO');
DESCRIBE t;
CREATE STREAM read WITH (VALUE_FORMAT = 'JSON') AS SELECT us / 1000 AS millis, ms, lm, tu, uu, du, de, il->`INT` AS i, il->`LONG` AS l, fd FROM t;
SELECT * FROM read;
-- A declared column still decides for itself.
CREATE STREAM declared (us TIMESTAMP, il BIGINT, fd DOUBLE, uu STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO');
SELECT * FROM declared;
