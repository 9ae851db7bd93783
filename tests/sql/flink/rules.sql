-- Rules of Flink's CREATE TABLE and of its options' values.
-- topic: ${prefix}t partitions=1
-- `format` wins over `value.format`.
CREATE TABLE both (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'value.format' = 'csv', 'json.ignore-parse-errors' = 'true');
INSERT INTO both VALUES (1, 'a');
SELECT * FROM both;
SHOW CREATE TABLE both AS FLINK;
CREATE TABLE x (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'value.format' = 'csv', 'value.csv.field-delimiter' = ';');
-- Keys.
CREATE TABLE x (id INT, n STRING, PRIMARY KEY (id, id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE x (id INT PRIMARY KEY NOT ENFORCED, n STRING PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE x (id INT PRIMARY KEY NOT ENFORCED, n STRING, PRIMARY KEY (n) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE constrained (id BIGINT NOT NULL CONSTRAINT pk PRIMARY KEY NOT ENFORCED, r ROW<constraint INT, x INT>) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'value.format' = 'json');
SHOW CREATE TABLE constrained AS FLINK;
CREATE TABLE x (id BIGINT CONSTRAINT pk PRIMARY KEY) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'value.format' = 'json');
-- Both or neither, and zero is neither.
CREATE TABLE x (id INT PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'value.format' = 'json', 'sink.buffer-flush.max-rows' = '10', 'sink.buffer-flush.interval' = '0 s');
CREATE TABLE flushed (id INT PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'value.format' = 'json', 'sink.buffer-flush.max-rows' = '0');
CREATE TABLE x (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'json.timestamp-format.standard' = 'iso-8601');
CREATE TABLE x (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'debezium-json', 'debezium-json.timestamp-format.standard' = 'RFC');
-- A change log's PRIMARY KEY in the records' keys, too.
-- topic: ${prefix}d partitions=1
-- record: ${prefix}d key={"id":1} {"before":null,"after":{"id":1,"n":"a"},"op":"c"}
-- record: ${prefix}d key={"id":1} {"before":{"id":1,"n":"a"},"after":{"id":1,"n":"b"},"op":"u"}
-- record: ${prefix}d key={"id":2} {"before":{"id":2,"n":"c"},"after":null,"op":"d"}
CREATE TABLE changed (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'value.format' = 'debezium-json', 'key.format' = 'json', 'key.fields' = 'id');
INSERT INTO changed VALUES (3, 'd');
SELECT * FROM changed;
SHOW CREATE TABLE changed AS FLINK;
CREATE STREAM raw_changed (k STRING KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}d', FORMAT = 'KAFKA');
SELECT * FROM raw_changed WHERE ROWOFFSET = 3;
CREATE TABLE x (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'value.format' = 'debezium-json', 'key.format' = 'json', 'key.fields' = 'n');
CREATE TABLE x (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'value.format' = 'debezium-json', 'key.format' = 'json');
CREATE STREAM spelled (ts TIMESTAMP) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', VALUE_TIMESTAMP_STANDARD = 'iso-8601');
SHOW CREATE STREAM spelled AS FLINK;
-- Secrets are not options.
CREATE TABLE x (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'properties.sasl.jaas.config' = 'a.Module required password=canary');
CREATE TABLE x (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'properties.ssl.key.password' = 'canary');
