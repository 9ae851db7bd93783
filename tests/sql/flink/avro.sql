-- Flink's `avro` is plain Avro by the columns; in `avro-confluent` times of three digits are milliseconds, and NOT NULL is a required field.
-- replace: 202\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${now}
-- replace: schema id \d+ => schema id ${id}
-- replace: 0x00[0-9a-f]{8} => ${id}
CREATE TABLE plain (id BIGINT NOT NULL, name STRING, at TIMESTAMP(3), d DECIMAL(5, 2), l ARRAY<INT>)
WITH ('connector' = 'kafka', 'topic' = '${prefix}plain', 'format' = 'avro', 'key.format' = 'avro', 'key.fields' = 'id', 'PARTITIONS' = '1');
INSERT INTO plain VALUES (1, 'a', TIMESTAMP_NTZ '1970-01-01 00:00:01.5', 1.25, ARRAY(1, NULL));
INSERT INTO plain (id) VALUES (2);
INSERT INTO plain (name) VALUES ('no id');
SELECT * FROM plain;
PRINT '${prefix}plain';
CREATE STREAM plain_bytes (k BINARY KEY, v BINARY) WITH (KAFKA_TOPIC = '${prefix}plain', FORMAT = 'KAFKA');
SELECT hex(k) AS k, hex(v) AS v FROM plain_bytes;
CREATE TABLE confluent (id INT NOT NULL, at TIMESTAMP(3), z TIMESTAMP_LTZ(3))
WITH ('connector' = 'kafka', 'topic' = '${prefix}confluent', 'format' = 'avro-confluent', 'key.format' = 'avro-confluent', 'key.fields' = 'id', 'PARTITIONS' = '1');
INSERT INTO confluent VALUES (1, TIMESTAMP_NTZ '1970-01-01 00:00:01.5', TIMESTAMP '1970-01-01 00:00:02.5');
SELECT * FROM confluent;
PRINT '${prefix}confluent';
CREATE STREAM confluent_bytes (k BINARY KEY, v BINARY) WITH (KAFKA_TOPIC = '${prefix}confluent', FORMAT = 'KAFKA');
SELECT hex(substr(k, 6)) AS k, hex(substr(v, 6)) AS v FROM confluent_bytes;
SHOW CREATE TABLE confluent AS FLINK;
CREATE TABLE micros (at TIMESTAMP(6)) WITH ('connector' = 'kafka', 'topic' = '${prefix}micros', 'format' = 'avro-confluent', 'PARTITIONS' = '1');
INSERT INTO micros VALUES (TIMESTAMP_NTZ '1970-01-01 00:00:01.000005');
SELECT * FROM micros;
-- By the new mapping of times Flink writes milliseconds at any precision.
CREATE TABLE mapped (at TIMESTAMP(6), z TIMESTAMP_LTZ(3)) WITH ('connector' = 'kafka', 'topic' = '${prefix}mapped', 'PARTITIONS' = '1', 'format' = 'avro', 'avro.timestamp_mapping.legacy' = 'false', 'avro.encoding' = 'binary', 'avro.codec' = 'snappy');
INSERT INTO mapped VALUES (TIMESTAMP_NTZ '1970-01-01 00:00:01.500123', TIMESTAMP '1970-01-01 00:00:02.5');
SELECT * FROM mapped;
PRINT '${prefix}mapped';
CREATE STREAM mapped_bytes (k BINARY KEY, v BINARY) WITH (KAFKA_TOPIC = '${prefix}mapped', FORMAT = 'KAFKA');
SELECT hex(v) AS v FROM mapped_bytes;
CREATE TABLE again LIKE mapped;
SHOW CREATE TABLE again AS FLINK;
CREATE TABLE encoded (id INT NOT NULL, name STRING, at TIMESTAMP(3), d DECIMAL(5, 2), l ARRAY<INT>, r ROW<x INT, m MAP<STRING, BIGINT>>, b BYTES) WITH ('connector' = 'kafka', 'topic' = '${prefix}encoded', 'PARTITIONS' = '1', 'format' = 'avro', 'avro.encoding' = 'JSON');
INSERT INTO encoded VALUES (1, 'ä', TIMESTAMP_NTZ '1970-01-01 00:00:01.5', 1.25, ARRAY(1, NULL), struct(7, map('k', 8)), X'00FF'), (2, NULL, NULL, NULL, NULL, NULL, NULL);
SELECT * FROM encoded;
SELECT id, r.x FROM encoded;
SHOW CREATE TABLE encoded AS FLINK;
CREATE TABLE texts (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}encoded', 'format' = 'raw');
SELECT * FROM texts;
INSERT INTO texts VALUES ('{"id": 3, "name": null, "at": null, "d": null, "l": null, "r": null, "b": {"bytes": "a"}}'), ('{"id": 4}');
SELECT id, b FROM encoded WITH ('on_error' = 'skip') WHERE id = 3;
SELECT id, b FROM encoded;
CREATE TABLE x (i INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}mapped', 'format' = 'avro', 'avro.encoding' = 'text');
CREATE TABLE x (i INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}mapped', 'format' = 'json', 'value_encoding' = 'json');
-- A number is not a time without its unit.
CREATE TABLE computed (rowtime BIGINT METADATA FROM 'timestamp', c AS CAST(rowtime AS TIMESTAMP(3)), i INT)
WITH ('connector' = 'kafka', 'topic' = '${prefix}plain', 'format' = 'json');
CREATE TABLE computed (rowtime BIGINT METADATA FROM 'timestamp', c AS TO_TIMESTAMP_LTZ(rowtime, 3), i INT)
WITH ('connector' = 'kafka', 'topic' = '${prefix}plain', 'format' = 'json');
-- A field's name and its description are no types.
CREATE TABLE named (id INT, r ROW<`timestamp` TIMESTAMP(3), x INT 'timestamp of x'>) WITH ('connector' = 'kafka', 'topic' = '${prefix}named', 'PARTITIONS' = '1', 'format' = 'avro');
INSERT INTO named VALUES (1, named_struct('timestamp', TIMESTAMP_NTZ '1970-01-01 00:00:01.5', 'x', 2));
SELECT * FROM named;
CREATE STREAM named_bytes (k BINARY KEY, v BINARY) WITH (KAFKA_TOPIC = '${prefix}named', FORMAT = 'KAFKA');
SELECT hex(v) AS v FROM named_bytes;
SHOW CREATE TABLE named AS FLINK;
