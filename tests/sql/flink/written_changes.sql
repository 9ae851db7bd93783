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
-- Also through a view, and where a common table expression has the rows.
CREATE TEMPORARY VIEW seen AS SELECT c.id AS id, upper(c.n) AS n FROM changes c WHERE id > 0;
CREATE VIEW stored AS SELECT * FROM changes;
INSERT INTO appended SELECT * FROM seen;
INSERT INTO appended SELECT * FROM stored;
INSERT INTO kept SELECT id + 30, n FROM seen;
INSERT INTO kept SELECT id + 40, n FROM stored;
SELECT * FROM kept WHERE id > 30;
INSERT INTO kept WITH c AS (SELECT id + 50 AS id, n FROM changes) SELECT id, max(n) FROM c GROUP BY id;
INSERT INTO kept SELECT id + 60, max(n) FROM seen GROUP BY id;
SELECT * FROM kept WHERE id > 50;
CREATE TABLE copy USING kafkalyst TBLPROPERTIES (KAFKA_TOPIC = '${prefix}w', VALUE_FORMAT = 'JSON', PARTITIONS = '1') AS SELECT * FROM changes;
SHOW TABLES LIKE 'copy';
-- A table of another provider has rows only.
CREATE TABLE files USING parquet AS SELECT * FROM changes;
CREATE TABLE files (id INT, n STRING) USING parquet;
INSERT INTO files SELECT * FROM changes;
INSERT INTO files (n, id) SELECT n, id FROM seen;
INSERT OVERWRITE files SELECT * FROM stored;
INSERT INTO files SELECT id, max(n) FROM changes GROUP BY id;
INSERT INTO files SELECT id + 10, n FROM changes WHERE _op IN ('+I', '+U');
INSERT INTO files SELECT id + 20, n FROM latest;
SELECT * FROM files ORDER BY id, n;
DROP TABLE files;
DROP VIEW stored;
