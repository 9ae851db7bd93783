-- In ksqlDB's dialect a oneOf of JSON Schema is a column as in Connect: a STRUCT of its alternatives.
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: CSAS_[A-Z0-9]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- schema: jv ${prefix}j-value JSON {"type":"object","properties":{"id":{"type":"integer","connect.index":0},"plain":{"oneOf":[{"type":"null"},{"type":"string"}],"connect.index":1},"u":{"oneOf":[{"type":"null"},{"type":"string"},{"type":"integer"},{"type":"boolean"}],"connect.index":2},"o":{"connect.index":3,"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"object","properties":{"b":{"type":"integer"},"c":{"type":"integer"}}},{"type":"array","items":{"type":"number"}}]},"t":{"type":["string","number"],"connect.index":4}}}
-- topic: ${prefix}j partitions=1
CREATE STREAM j WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON_SR');
DESCRIBE j;
INSERT INTO j VALUES (1, 'p', STRUCT(`IO.CONFLUENT.CONNECT.JSON.ONEOF.FIELD.0` := 'x'), STRUCT(`IO.CONFLUENT.CONNECT.JSON.ONEOF.FIELD.1` := STRUCT(B := 1, C := 2)), STRUCT(`IO.CONFLUENT.CONNECT.JSON.ONEOF.FIELD.1` := 1.5));
INSERT INTO j VALUES (2, NULL, STRUCT(`IO.CONFLUENT.CONNECT.JSON.ONEOF.FIELD.1` := 7), STRUCT(`IO.CONFLUENT.CONNECT.JSON.ONEOF.FIELD.0` := STRUCT(A := 'a')), STRUCT(`IO.CONFLUENT.CONNECT.JSON.ONEOF.FIELD.0` := 'y'));
INSERT INTO j VALUES (3, NULL, STRUCT(`IO.CONFLUENT.CONNECT.JSON.ONEOF.FIELD.2` := true), STRUCT(`IO.CONFLUENT.CONNECT.JSON.ONEOF.FIELD.2` := ARRAY[1.5, 2.0]), STRUCT(`IO.CONFLUENT.CONNECT.JSON.ONEOF.FIELD.1` := 2.0));
INSERT INTO j (id) VALUES (4);
SELECT * FROM j EMIT CHANGES LIMIT 4;
SELECT id, u->`IO.CONFLUENT.CONNECT.JSON.ONEOF.FIELD.1` AS n FROM j EMIT CHANGES LIMIT 2;
CREATE STREAM derived AS SELECT id, u FROM j;
SELECT * FROM derived;
-- Outside the dialect it is its JSON text.
SET spark.kafkalyst.dialect = spark;
CREATE STREAM s WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON_SR');
SELECT * FROM s;
CREATE STREAM d WITH (KAFKA_TOPIC = '${prefix}DERIVED', VALUE_FORMAT = 'JSON_SR');
SELECT * FROM d;
