-- What an INSERT makes of the rows of a stream of changes: tombstones in a table, and a refusal elsewhere.
-- topic: ${prefix}d partitions=1
-- topic: ${prefix}u partitions=1
-- topic: ${prefix}v partitions=1
-- record: ${prefix}d {"before":null,"after":{"id":1,"n":"a"},"source":{"db":"shop","table":"t"},"op":"c","ts_ms":1}
-- record: ${prefix}d {"before":{"id":1,"n":"a"},"after":{"id":2,"n":"b"},"source":{"db":"shop","table":"t"},"op":"u","ts_ms":2}
-- record: ${prefix}d {"before":null,"after":{"id":3,"n":"c"},"source":{"db":"shop","table":"t"},"op":"c","ts_ms":3}
-- record: ${prefix}d {"before":{"id":3,"n":"c"},"after":null,"source":{"db":"shop","table":"t"},"op":"d","ts_ms":4}
-- record: ${prefix}d {"before":{"id":2,"n":"b"},"after":{"id":2,"n":"d"},"source":{"db":"shop","table":"t"},"op":"u","ts_ms":5}
CREATE TABLE changes (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'format' = 'debezium-json');
CREATE TABLE latest (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'format' = 'debezium-json');
CREATE TABLE kept (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}u', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE appended (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}v', 'format' = 'json');
INSERT INTO kept SELECT * FROM changes;
SELECT * FROM kept;
CREATE STREAM written (id INT KEY, n STRING) WITH (KAFKA_TOPIC = '${prefix}u', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON', WRAP_SINGLE_KEY = true);
SELECT ROWOFFSET, id, n, _tombstone FROM written ORDER BY ROWOFFSET;
INSERT INTO kept (n, id) SELECT upper(n), c.id + 10 FROM changes c WHERE c.id <> 3;
SELECT * FROM kept;
INSERT INTO kept SELECT id + 20, n FROM changes WHERE _op IN ('+I', '+U');
SELECT * FROM kept WHERE id > 20;
INSERT INTO appended SELECT * FROM latest;
SELECT * FROM appended;
INSERT INTO appended SELECT * FROM changes;
INSERT INTO kept SELECT id, max(n) FROM changes GROUP BY id;
