-- Flink's CREATE TABLE over a topic, its options and clauses, and the statement back.
-- replace: and the properties [^\n]* SQLSTATE => and the properties … SQLSTATE
-- topic: ${prefix}t partitions=2
CREATE TABLE kafka_table (
  `id` BIGINT NOT NULL,
  name STRING,
  `offset` BIGINT METADATA VIRTUAL,
  headers MAP<STRING, BYTES> METADATA,
  ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',
  wall TIMESTAMP(3),
  r ROW<a INT, b ARRAY<ROW<c TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL>>>
) WITH (
  'connector' = 'kafka',
  'topic' = '${prefix}t',
  'properties.group.id' = 'g',
  'key.format' = 'raw',
  'key.fields' = 'id',
  'value.format' = 'json',
  'scan.startup.mode' = 'earliest-offset'
);
DESCRIBE kafka_table;
INSERT INTO kafka_table (id, name, ts, wall, r) VALUES (7, 'ABC', timestamp_millis(1599133672000), TIMESTAMP_NTZ'2024-05-06 07:08:09', named_struct('a', 1, 'b', array(named_struct('c', timestamp_millis(5)))));
SELECT * FROM kafka_table;
CREATE STREAM raw (k BIGINT KEY, id BIGINT, name STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
SELECT * FROM raw;
SHOW CREATE TABLE kafka_table AS FLINK;
SHOW CREATE STREAM kafka_table AS KSQLDB;
CREATE TABLE except_key (id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}e', 'PARTITIONS' = '1', 'key.format' = 'raw', 'key.fields' = 'id', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY');
CREATE STREAM e (k BIGINT KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}e', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO except_key VALUES (1, 10);
INSERT INTO e VALUES (2, 20);
SELECT * FROM except_key;
CREATE TABLE later (id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}e', 'format' = 'json', 'scan.startup.mode' = 'specific-offsets', 'scan.startup.specific-offsets' = 'partition:0,offset:1');
SELECT v FROM later;
SELECT v FROM later EMIT CHANGES;
CREATE TABLE timed (v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'scan.startup.mode' = 'timestamp', 'scan.startup.timestamp-millis' = '1599133672001');
SELECT * FROM timed;
CREATE TABLE bounded (name STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'scan.bounded.mode' = 'timestamp', 'scan.bounded.timestamp-millis' = '1599133672001');
SELECT * FROM bounded;
CREATE TABLE upserts (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'raw', 'value.format' = 'json');
SELECT * FROM upserts;
SHOW CREATE TABLE upserts AS FLINK;
SHOW CREATE TABLE upserts AS KSQLDB;
SHOW CREATE TABLE upserts AS COBOL;
CREATE TABLE x (id BIGINT) WITH ('connector' = 'kinesis', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (id BIGINT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'sink.partitioner' = 'org.acme.Mine');
CREATE TABLE x (id BIGINT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'sink.partitoner' = 'default');
CREATE TABLE x (id BIGINT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'properties.bootstrap.servers' = 'elsewhere:9092');
CREATE TABLE formats (id BIGINT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'value.format' = 'csv');
CREATE TABLE x (id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'value.format' = 'json', 'key.fields' = 'id');
CREATE TABLE x (id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'value.format' = 'json', 'key.format' = 'json');
CREATE TABLE x (id BIGINT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'value.format' = 'json', 'key.format' = 'json', 'key.fields' = 'i');
CREATE TABLE x (id BIGINT, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (id BIGINT, v INT) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE x (id BIGINT PRIMARY KEY NOT ENFORCED, v INT) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (id BIGINT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'scan.startup.mode' = 'timestamp');
CREATE TABLE x (id BIGINT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'scan.startup.specific-offsets' = 'partition:0');
CREATE TABLE x (id BIGINT, PRIMARY KEY (id)) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
CREATE STREAM words (watermark INT, enforced INT, constraint STRING, "for" INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
SELECT watermark FROM words;
-- ALTER TABLE … ADD … METADATA.
CREATE TABLE added (a INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
ALTER TABLE added ADD made TIMESTAMP(3) METADATA FROM 'timestamp';
ALTER TABLE added ADD (offset BIGINT METADATA VIRTUAL, b INT);
DESCRIBE added;
INSERT INTO added (a, b, made) VALUES (1, 2, TIMESTAMP_NTZ '2024-01-01 00:00:00');
SELECT made, a, b FROM added WHERE b = 2;
ALTER TABLE added ADD x INT METADATA FROM 'timestamp';
ALTER TABLE added ADD y INT METADATA FROM 'tiemstamp';
ALTER TABLE added ADD offset BIGINT METADATA VIRTUAL;
ALTER TABLE added ADD again TIMESTAMP(3) METADATA FROM 'timestamp';
