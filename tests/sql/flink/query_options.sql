-- What a table's definition says, said otherwise for one query or insert.
-- replace: Known are: [^\n]* SQLSTATE => Known are: … SQLSTATE
-- topic: ${prefix}t partitions=1
-- record: ${prefix}t key={"id":1} {"id":10,"name":"a"}
-- record: ${prefix}t key={"id":2} {"name":"b"}
CREATE TABLE t (id INT, name STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'value.format' = 'json');
SELECT * FROM t;
SELECT * FROM t WITH ('key.format' = 'json', 'key.fields' = 'id');
SELECT * FROM t WITH ('key.format' = 'json', 'key.fields' = 'id', 'value.fields-include' = 'EXCEPT_KEY');
SELECT * FROM t /*+ OPTIONS('key.format'='json', 'key.fields'='id', 'value.fields-include'='EXCEPT_KEY') */ WHERE id = 2;
SELECT name, ROWKEY.id FROM t WITH ('key.format' = 'json', 'key.fields' = 'id', 'value.fields-include' = 'EXCEPT_KEY');
SELECT * FROM t WITH ('key.format' = 'json', 'key.fields' = 'id', 'value.fields-include' = 'EXCEPT_KEY') EMIT CHANGES;
SELECT * FROM t WITH ('key.format' = 'json', 'key.fields' = 'id', 'fields.verify-integrity' = 'true', 'on_error' = 'skip');
SELECT * FROM t WITH ('value.format' = 'csv', 'value.csv.field-delimiter' = ':');
SELECT * FROM t;
SELECT * FROM t WITH ('key.format' = 'json');
SELECT * FROM t WITH ('key.fields' = 'id');
SELECT * FROM t WITH ('key.format' = 'json', 'key.fields' = 'nope');
SELECT * FROM t WITH ('key.format' = 'json', 'key.fields' = 'id', 'key.fields-prefix' = 'i');
SELECT * FROM t WITH ('value.format' = 'nope');
SELECT * FROM t WITH ('value.format' = 'raw');
SELECT * FROM t WITH ('connector' = 'upsert-kafka');
SELECT * FROM t WITH ('topic' = 'other');
CREATE TABLE prefixed (k_id INT, name STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'value.format' = 'json');
SELECT * FROM prefixed WITH ('key.format' = 'json', 'key.fields' = 'k_id', 'key.fields-prefix' = 'k_', 'value.fields-include' = 'EXCEPT_KEY');
-- topic: ${prefix}sink partitions=1
CREATE TABLE sink (id INT, name STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}sink', 'value.format' = 'json');
INSERT INTO sink /*+ OPTIONS('key.format'='raw', 'key.fields'='id', 'sink.partitioner'='fixed') */ VALUES (1, 'x');
INSERT INTO sink /*+ OPTIONS('value.format'='csv') */ SELECT 2, 'y';
INSERT INTO sink WITH ('sink.partitioner'='nowhere') SELECT 3, 'z';
INSERT INTO sink WITH ('nope'='csv') SELECT 3, 'z';
INSERT INTO sink WITH ('query_id'='csv') SELECT 3, 'z';
SELECT * FROM sink WITH ('key.format'='raw', 'key.fields'='id', 'on_error'='skip') WHERE ROWKEY.id = 1;
CREATE STREAM bytes (k BYTES KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}sink', FORMAT = 'KAFKA');
SELECT hex(k), v FROM bytes;
DESCRIBE sink;
-- topic: ${prefix}c partitions=1
-- record: ${prefix}c 1,x
-- record: ${prefix}c a,y
-- record: ${prefix}c 3
-- record: ${prefix}c 4,z,5
CREATE TABLE c (id INT, name STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}c', 'format' = 'csv', 'csv.ignore-parse-errors' = 'true');
SELECT * FROM c;
SELECT * FROM c WITH ('csv.ignore-parse-errors' = 'false', 'on_error' = 'skip');
SHOW CREATE TABLE c AS FLINK;
SHOW CREATE TABLE c AS KSQLDB;
