-- A subject whose record has Flink's name keeps it, and the option `schema` gives the whole schema.
-- replace: schema id ((\| )?)\d+ => schema id ${id}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_DERIVED_\d+ => CSAS_DERIVED_n
-- topic: ${prefix}b partitions=1
-- topic: ${prefix}k partitions=1
-- topic: ${prefix}q partitions=1
-- topic: ${prefix}c partitions=1
-- schema: events ${prefix}b-value {"type":"record","name":"record","namespace":"org.apache.flink.avro.generated","fields":[{"name":"before","type":["null",{"type":"record","name":"record_before","fields":[{"name":"id","type":["null","int"],"default":null},{"name":"n","type":["null","string"],"default":null}]}],"default":null},{"name":"after","type":["null",{"type":"record","name":"record_after","fields":[{"name":"id","type":["null","int"],"default":null},{"name":"n","type":["null","string"],"default":null}]}],"default":null},{"name":"op","type":["null","string"],"default":null}]}
-- schema: value ${prefix}k-value {"type":"record","name":"record","namespace":"org.apache.flink.avro.generated","fields":[{"name":"id","type":["null","int"],"default":null},{"name":"n","type":["null","string"],"default":null}]}
-- schema: key ${prefix}k-key {"type":"record","name":"record","namespace":"org.apache.flink.avro.generated","fields":[{"name":"id","type":["null","int"],"default":null}]}
-- schema: derived ${prefix}c-value {"type":"record","name":"record","namespace":"org.apache.flink.avro.generated","fields":[{"name":"n","type":["null","string"],"default":null}]}
CREATE TABLE events (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}b', 'format' = 'debezium-avro-confluent');
INSERT INTO events VALUES (1, 'x');
SELECT _op, id, n FROM events;
ASSERT SCHEMA SUBJECT '${prefix}b-value' ID ${id.events};
CREATE TABLE made (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}k', 'key.format' = 'avro-confluent', 'key.fields' = 'id', 'value.format' = 'avro-confluent') AS SELECT 1 AS id, 'one' AS n;
ALTER TABLE made ADD m BIGINT;
INSERT INTO made VALUES (2, 'two', 22);
SELECT * FROM made;
DESCRIBE EXTENDED made;
CREATE STREAM derived WITH (KAFKA_TOPIC = '${prefix}c', FORMAT = 'AVRO') AS SELECT id, n, m FROM made PARTITION BY id;
SELECT * FROM derived;
-- A schema that is refused for other reasons is refused as before.
CREATE STREAM other WITH (KAFKA_TOPIC = '${prefix}c', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}k-value') AS SELECT m AS n FROM made;
CREATE TABLE orders (id INT, n STRING, at TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = '${prefix}q', 'format' = 'avro-confluent', 'avro-confluent.schema' = '{"type":"record","name":"Order","namespace":"com.shop","fields":[{"name":"id","type":["null","int"],"default":null},{"name":"n","type":["null","string"]},{"name":"at","type":["null",{"type":"long","logicalType":"timestamp-millis"}]}]}');
INSERT INTO orders VALUES (1, 'x', TIMESTAMP_NTZ '2024-01-01 00:00:01');
SELECT * FROM orders;
SHOW CREATE TABLE orders AS FLINK;
CREATE TABLE x (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}q', 'format' = 'avro-confluent', 'avro-confluent.schema' = '{"type":"record","name":"Order","fields":[{"name":"id","type":["null","int"]}]}');
CREATE TABLE x (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}q', 'format' = 'avro-confluent', 'avro-confluent.schema' = '"nonsense"');
CREATE TABLE x (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}q', 'format' = 'json', 'value_schema' = '"int"');
