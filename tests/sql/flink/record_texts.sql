-- Records as Flink's json reads them: control characters, no bytes, text behind the value, and digits for times.
CREATE TABLE texts (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'raw', 'PARTITIONS' = '1');
INSERT INTO texts VALUES ('{"id":1,"s":"a\tb"}');
INSERT INTO texts VALUES ('');
INSERT INTO texts VALUES ('  ');
INSERT INTO texts VALUES ('{"id":2,"s":"x"} {"id":9}');
INSERT INTO texts VALUES ('{"id":3,"s":"y"}garbage');
INSERT INTO texts VALUES ('[{"id":4},{"id":5}] [');
INSERT INTO texts VALUES ('{"id":6,"s":{"k":"c\nd"}}');
CREATE TABLE t (id INT, s STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
SELECT id, replace(replace(s, '\t', '<TAB>'), '\n', '<LF>') AS s FROM t ORDER BY id;
SELECT COUNT(*) AS n FROM t;
-- Elsewhere they are bad records.
CREATE STREAM own (id INT, s STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', ON_ERROR = 'null');
SELECT id, s, _error IS NOT NULL AS bad FROM own ORDER BY id NULLS FIRST;
CREATE TABLE days (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'format' = 'raw', 'PARTITIONS' = '1');
INSERT INTO days VALUES ('{"id":1,"d":"2024-01-01","t":"10:15:00","ts":"2024-01-01 10:15:00","z":"2024-01-01 10:15:00Z"}');
INSERT INTO days VALUES ('{"id":2,"d":20240101,"t":5,"ts":1700000000,"z":1700000000000}');
INSERT INTO days VALUES ('{"id":3,"d":"20240101","ts":"1700000000","z":"5"}');
CREATE TABLE times (id INT, d DATE, ts TIMESTAMP(3), z TIMESTAMP_LTZ(3)) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'format' = 'json');
SELECT * FROM times;
SELECT * FROM times /*+ OPTIONS('json.ignore-parse-errors' = 'true') */ ORDER BY id;
SELECT * FROM times /*+ OPTIONS('json.ignore-parse-errors' = 'true', 'json.timestamp-format.standard' = 'ISO-8601') */ ORDER BY id;
-- With Kafkalyst's own standard they count.
SELECT id, ts, z FROM times /*+ OPTIONS('json.ignore-parse-errors' = 'true', 'json.timestamp-format.standard' = 'NUMBER') */ WHERE id = 2;
CREATE STREAM counted (id INT, z TIMESTAMP) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'JSON', VALUE_TIMESTAMP_STANDARD = 'SQL', ON_ERROR = 'skip');
SELECT * FROM counted WHERE id = 2;
-- Events.
CREATE TABLE changes (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}e', 'format' = 'raw', 'PARTITIONS' = '1');
INSERT INTO changes VALUES ('{"data":{"id":1,"s":"a\tb"},"type":"insert"} more'), ('');
CREATE TABLE maxwell (id INT, s STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}e', 'format' = 'maxwell-json');
SELECT id, replace(s, '\t', '<TAB>') AS s FROM maxwell;
CREATE STREAM own_maxwell (id INT, s STRING) WITH (KAFKA_TOPIC = '${prefix}e', VALUE_FORMAT = 'MAXWELL_JSON');
SELECT * FROM own_maxwell;
-- In a table, too.
CREATE TABLE latest (id INT, s STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = '${prefix}e', 'format' = 'maxwell-json');
SELECT * FROM latest;
-- Without null fields, around the row too.
CREATE TABLE debezium (id INT, s STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}w', 'format' = 'debezium-json', 'debezium-json.encode.ignore-null-fields' = 'true', 'PARTITIONS' = '1');
INSERT INTO debezium VALUES (1, NULL), (2, 'x');
CREATE TABLE ogg (id INT, s STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}w', 'format' = 'ogg-json', 'ogg-json.encode.ignore-null-fields' = 'true');
INSERT INTO ogg VALUES (3, NULL);
CREATE TABLE canal (id INT, s STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}w', 'value.format' = 'canal-json', 'value.canal-json.encode.ignore-null-fields' = 'true');
INSERT INTO canal VALUES (4, NULL);
CREATE TABLE maxwell_out (id INT, s STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}w', 'format' = 'maxwell-json', 'maxwell-json.encode.ignore-null-fields' = 'false');
INSERT INTO maxwell_out VALUES (5, NULL);
CREATE TABLE written (v STRING, `offset` BIGINT METADATA VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}w', 'format' = 'raw');
SELECT v FROM written ORDER BY `offset`;
SHOW CREATE TABLE debezium AS FLINK;
