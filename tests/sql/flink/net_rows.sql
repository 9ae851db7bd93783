-- Groups, joins, DISTINCT, window functions and subqueries over a stream of changes have the rows as they are; a query that names _op has the changes.
-- topic: ${prefix}d partitions=1
-- topic: ${prefix}u partitions=1
-- record: ${prefix}d {"before":null,"after":{"id":1,"n":"a","w":1.5,"m":{"k":1}},"source":{"db":"shop"},"op":"c","ts_ms":1}
-- record: ${prefix}d {"before":null,"after":{"id":2,"n":"a","w":2.5,"m":{"k":2}},"source":{"db":"shop"},"op":"c","ts_ms":2}
-- record: ${prefix}d {"before":null,"after":{"id":2,"n":"a","w":2.5,"m":{"k":2}},"source":{"db":"shop"},"op":"r","ts_ms":3}
-- record: ${prefix}d {"before":{"id":1,"n":"a","w":1.5,"m":{"k":1}},"after":{"id":1,"n":"b","w":3.0,"m":{"k":1}},"source":{"db":"shop"},"op":"u","ts_ms":4}
-- record: ${prefix}d {"before":null,"after":{"id":3,"n":"c","w":1.0,"m":null},"source":{"db":"shop"},"op":"c","ts_ms":5}
-- record: ${prefix}d {"before":{"id":3,"n":"c","w":1.0,"m":null},"after":null,"source":{"db":"shop"},"op":"d","ts_ms":6}
-- record: ${prefix}d {"before":null,"after":{"id":4,"n":null,"w":null,"m":null},"source":{"db":"shop"},"op":"c","ts_ms":7}
-- record: ${prefix}d {"before":{"id":9,"n":"z","w":9.0,"m":null},"after":null,"source":{"db":"shop"},"op":"d","ts_ms":8}
-- replace: \S*/checkpoints/\S+ => ${checkpoint}
-- replace: C[ST]AS_[A-Z_0-9]+_\d+ => ${query}
CREATE TABLE changes (id INT, n STRING, w DOUBLE, m MAP<STRING, INT>, at TIMESTAMP(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL, db STRING METADATA FROM 'value.source.database' VIRTUAL, twice AS w * 2) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'format' = 'debezium-json');
SELECT id, n FROM changes;
SELECT COUNT(*) FROM changes;
SELECT n, COUNT(*), SUM(w), SUM(twice) FROM changes GROUP BY n;
SELECT n, COUNT(*) FROM changes WHERE w > 2 GROUP BY n HAVING COUNT(*) > 0;
SELECT DISTINCT n FROM changes;
SELECT m, COUNT(*) FROM changes GROUP BY m;
-- The row's last time, and what all its records have.
SELECT at, db, COUNT(*) FROM changes GROUP BY at, db;
SELECT a.id, b.id FROM changes a JOIN changes b ON a.n = b.n;
SELECT id FROM VALUES (1), (3), (9) AS t(id) WHERE id IN (SELECT id FROM changes);
SELECT (SELECT MAX(id) FROM changes) AS m;
WITH living AS (SELECT n, w FROM changes WHERE w > 1) SELECT n, COUNT(*) FROM living GROUP BY n;
WITH changing AS (SELECT n, w FROM changes WHERE w > 1) SELECT * FROM changing;
WITH x AS (SELECT n FROM changes), y AS (SELECT n FROM x) SELECT COUNT(n) FROM y;
SELECT id, ROW_NUMBER() OVER (PARTITION BY n ORDER BY id) AS r FROM changes;
SELECT id, n FROM changes UNION SELECT id, n FROM changes;
SELECT id, n FROM changes EXCEPT SELECT 2, 'a';
CREATE VIEW counted AS SELECT n, COUNT(*) AS c FROM changes GROUP BY n;
SELECT * FROM counted;
SELECT _op, COUNT(*) FROM changes GROUP BY _op;
SELECT COUNT(ROWOFFSET) FROM changes;
SELECT n, SUM(CASE WHEN _op IN ('+I', '+U') THEN w ELSE -w END) AS s FROM changes GROUP BY n;
CREATE TABLE kept (n STRING, c BIGINT, PRIMARY KEY (n) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}u', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO kept SELECT n, COUNT(*) FROM changes WHERE n IS NOT NULL GROUP BY n;
SELECT * FROM kept;
-- Without end: groups take rows back, and all else names the changes.
SELECT COUNT(*), SUM(w) FROM changes EMIT CHANGES;
SELECT n, COUNT(*) AS c, SUM(w) AS s, MIN(w) AS lo, MAX(w) AS hi, COUNT(DISTINCT id) AS d, AVG(w) AS mean, COLLECT_LIST(id) AS ids FROM changes GROUP BY n EMIT CHANGES;
SELECT n, FIRST(w) FROM changes GROUP BY n EMIT CHANGES;
CREATE TABLE groups WITH (KAFKA_TOPIC = '${prefix}g', VALUE_FORMAT = 'JSON') AS SELECT n, COUNT(*) AS c, SUM(w) AS s, MIN(w) AS lo, MAX(w) AS hi FROM changes WHERE id > 0 GROUP BY n EMIT CHANGES;
SELECT * FROM groups;
CREATE TABLE signed WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON') AS SELECT n, COUNT(*) AS c, SUM(CASE WHEN _op IN ('+I', '+U') THEN w ELSE -w END) AS s FROM changes GROUP BY n EMIT CHANGES;
SELECT * FROM signed;
CREATE STREAM ops WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'JSON') AS SELECT _op AS op, id, n FROM changes EMIT CHANGES;
SELECT * FROM ops;
CREATE STREAM events WITH (KAFKA_TOPIC = '${prefix}e', VALUE_FORMAT = 'DEBEZIUM_JSON', CHANGES.COMBINED = 'rows') AS SELECT id, n, w FROM changes WHERE id < 4 EMIT CHANGES;
SELECT COUNT(*), SUM(w) FROM events;
CREATE STREAM copy WITH (KAFKA_TOPIC = '${prefix}c', VALUE_FORMAT = 'JSON') AS SELECT id, n FROM changes EMIT CHANGES;
CREATE STREAM joined WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON') AS SELECT c.n, k.c FROM changes c JOIN kept k ON c.n = k.n EMIT CHANGES;
SELECT c.id, k.c FROM changes c JOIN kept k ON c.n = k.n EMIT CHANGES;
SELECT n, COUNT(*) FROM changes WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY n EMIT CHANGES;
DROP VIEW counted;
