-- What Spark has and ksqlDB lacks, in continuous queries: types, and windows as functions.
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
CREATE STREAM orders (id INT KEY, item STRING, qty INT, ts TIMESTAMP) WITH (KAFKA_TOPIC = '${prefix}orders', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO orders VALUES (1, 'a', 1, TIMESTAMP '2026-01-01 00:00:00'), (2, 'b', 2, TIMESTAMP '2026-01-01 01:00:00.123');
CREATE STREAM plain WITH (KAFKA_TOPIC = '${prefix}plain') AS SELECT id, CAST(CAST(ts AS TIMESTAMP_NTZ) + CAST('1' AS INTERVAL DAY) AS TIMESTAMP) AS next, CAST(CAST(ts AS TIMESTAMP_NTZ) AS DATE) AS d, CAST(ts - TIMESTAMP '2026-01-01' AS STRING) AS since FROM orders EMIT CHANGES;
SELECT * FROM plain ORDER BY id;
CREATE STREAM ntz WITH (KAFKA_TOPIC = '${prefix}ntz') AS SELECT id, CAST(ts AS TIMESTAMP_NTZ) AS t FROM orders EMIT CHANGES;
SELECT * FROM ntz ORDER BY id;
CREATE STREAM no_cast AS SELECT id, CAST(qty AS TIMESTAMP_NTZ) AS t FROM orders EMIT CHANGES;
CREATE TABLE counts AS SELECT item, window(ts, '1 hour') AS w, count(*) AS n FROM orders GROUP BY item, window(ts, '1 hour') EMIT CHANGES;
CREATE TABLE counts AS SELECT window.start AS s, count(*) AS n FROM orders GROUP BY window(ts, '1 hour') EMIT CHANGES;
