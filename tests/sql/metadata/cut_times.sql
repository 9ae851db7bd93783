-- Bounds on columns of few digits find the records whose times are cut to them.
-- topic: ${prefix}c partitions=1
CREATE STREAM given (v INT) WITH (KAFKA_TOPIC = '${prefix}c', VALUE_FORMAT = 'JSON');
INSERT INTO given (ROWTIME, v) VALUES (1700000000123, 1), (1700000000999, 2), (1700000001000, 3), (1700000003456, 4);
CREATE TABLE c (s TIMESTAMP_LTZ(0) METADATA FROM 'timestamp', v INT) WITH (
  'connector' = 'kafka', 'topic' = '${prefix}c', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset'
);
SELECT * FROM c ORDER BY v;
SELECT v FROM c WHERE s = TIMESTAMP '2023-11-14 22:13:20' ORDER BY v;
SELECT v FROM c WHERE s <= TIMESTAMP '2023-11-14 22:13:20' ORDER BY v;
SELECT v FROM c WHERE s > TIMESTAMP '2023-11-14 22:13:20' ORDER BY v;
SELECT v FROM c WHERE s < TIMESTAMP '2023-11-14 22:13:20.5' ORDER BY v;
CREATE TABLE c1 (d TIMESTAMP_LTZ(1) METADATA FROM 'timestamp', v INT) WITH (
  'connector' = 'kafka', 'topic' = '${prefix}c', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset'
);
SELECT v FROM c1 WHERE d = TIMESTAMP '2023-11-14 22:13:20.1' ORDER BY v;
SELECT v FROM c1 WHERE d IN (TIMESTAMP '2023-11-14 22:13:20.9', TIMESTAMP '2023-11-14 22:13:23.4') ORDER BY v;
