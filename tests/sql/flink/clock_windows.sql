-- Windows of PROCTIME() have no watermark that completes them.
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: file:\S*/checkpoints => ${checkpoints}
-- replace: INSERTQUERY_\d+ => ${insert}
CREATE TABLE t (id INT, at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', proc AS PROCTIME(), WATERMARK FOR at AS at) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'PARTITIONS' = '1');
CREATE TABLE counts (s TIMESTAMP(3), c BIGINT) WITH ('connector' = 'kafka', 'topic' = '${prefix}counts', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO counts SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(proc), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end EMIT CHANGES;
INSERT INTO counts SELECT window_start, COUNT(*) FROM TABLE(HOP(TABLE t, DESCRIPTOR(proc), INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)) GROUP BY window_start, window_end EMIT CHANGES;
INSERT INTO counts SELECT TUMBLE_START(proc, INTERVAL '1' MINUTE), COUNT(*) FROM t GROUP BY TUMBLE(proc, INTERVAL '1' MINUTE) EMIT CHANGES;
-- The record's own time has one. Groups without a time are refused as before.
INSERT INTO counts SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(at), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end EMIT CHANGES;
INSERT INTO counts SELECT at, COUNT(*) FROM (SELECT id, MAX(at) AS at FROM t GROUP BY id) GROUP BY at EMIT CHANGES;
INSERT INTO counts SELECT MAX(at), COUNT(*) FROM t GROUP BY id EMIT CHANGES;
