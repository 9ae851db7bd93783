-- VALUES by ksqlDB's rules: texts for numbers, dates and times, no fraction for a whole number.
-- conf: spark.kafkalyst.identifiers=upper
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z_]+_\d+ => ${query}
CREATE STREAM s (k INT KEY, x INT, b BIGINT, d DOUBLE, dc DECIMAL(5,2), t STRING, bo BOOLEAN, ts TIMESTAMP, dt DATE) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s (k, x, b, d, dc, t, ts, dt) VALUES (1, '5', '77', '1.5', '2.25', 9, '2021-01-02T03:04:05.678', '2021-01-02');
INSERT INTO s (k, d, dc) VALUES (2, 2.5, 2.5), (3, 4, 4);
INSERT INTO s (k, x) VALUES (4, 2.5);
INSERT INTO s (k, x) VALUES (4, 'five');
INSERT INTO s (k, ts) VALUES (4, 'nonsense');
INSERT INTO s (k, dc) VALUES (4, 12345.678);
INSERT INTO s (k, bo) VALUES (4, 'true');
INSERT INTO s (k, bo) VALUES (5, 'perhaps');
CREATE STREAM texts AS SELECT k, x, b, d, dc, t, bo, CAST(ts AS STRING) AS ts, dt FROM s;
SELECT * FROM texts;
SET spark.kafkalyst.identifiers=preserve;
INSERT INTO s (k, x) VALUES (5, '5');
INSERT INTO s (k, x) VALUES (5, 2.5);
CREATE STREAM m (k MAP<STRING, INT> KEY, x INT) WITH (KAFKA_TOPIC = '${prefix}m', FORMAT = 'JSON', PARTITIONS = 1);
SET spark.kafkalyst.identifiers=upper;
CREATE STREAM n (k STRUCT<M MAP<STRING, INT>> KEY, x INT) WITH (KAFKA_TOPIC = '${prefix}m', FORMAT = 'JSON');
CREATE STREAM h (k STRING KEY, v INT, h ARRAY<STRUCT<key STRING, value BYTES>> HEADERS) WITH (KAFKA_TOPIC = '${prefix}h', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO h VALUES ('a', 1);
INSERT INTO h (k, "v") VALUES ('a', 1);
INSERT INTO h (k, v) VALUES ('a', 1);
