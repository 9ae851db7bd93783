-- Change logs by Flink's names of their formats.
-- topic: ${prefix}d
-- record: ${prefix}d {"before":null,"after":{"id":1,"n":"a"},"source":{"db":"shop","table":"t"},"op":"c","ts_ms":1}
-- record: ${prefix}d {"before":{"id":1,"n":"a"},"after":{"id":1,"n":"b"},"source":{"db":"shop","table":"t"},"op":"u","ts_ms":2}
CREATE TABLE changes (id INT, n STRING, db STRING METADATA FROM 'value.source.database' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'format' = 'debezium-json');
SELECT _op, * FROM changes ORDER BY ROWOFFSET, _op;
SHOW CREATE TABLE changes AS FLINK;
CREATE TABLE latest (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'format' = 'debezium-json', 'debezium-json.ignore-parse-errors' = 'true');
SELECT * FROM latest;
SHOW CREATE TABLE latest AS FLINK;
SHOW CREATE TABLE latest AS KSQLDB;
CREATE TABLE x (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}d', 'key.format' = 'json', 'value.format' = 'debezium-json');
CREATE TABLE x (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'key.format' = 'debezium-json', 'key.fields' = 'id', 'value.format' = 'json');
CREATE TABLE x (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'format' = 'json');
