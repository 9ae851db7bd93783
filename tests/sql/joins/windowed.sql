-- Joins of windowed streams: rows meet where key and window are the same; no window meets rows without one.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM l (id INT KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}l', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM r (id INT KEY, b INT) WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE rt (id INT PRIMARY KEY, b INT) WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'JSON');
INSERT INTO r (ROWTIME, id, b) VALUES (500, 1, 10), (12500, 1, 11);
INSERT INTO l (ROWTIME, id, a) VALUES (1000, 1, 1), (2000, 2, 2), (12000, 1, 3);
CREATE TABLE wl WITH (KAFKA_TOPIC = '${prefix}wl', PARTITIONS = 1) AS SELECT id, COUNT(*) AS c FROM l WINDOW TUMBLING (SIZE 10 SECONDS) GROUP BY id;
CREATE TABLE wr WITH (KAFKA_TOPIC = '${prefix}wr', PARTITIONS = 1) AS SELECT id, SUM(b) AS s FROM r WINDOW TUMBLING (SIZE 10 SECONDS) GROUP BY id;
CREATE STREAM ws (id INT KEY, c BIGINT) WITH (KAFKA_TOPIC = '${prefix}wl', VALUE_FORMAT = 'JSON', WINDOW_TYPE = 'TUMBLING', WINDOW_SIZE = '10 SECONDS');
CREATE STREAM ws2 (id INT KEY, s INT) WITH (KAFKA_TOPIC = '${prefix}wr', VALUE_FORMAT = 'JSON', WINDOW_TYPE = 'TUMBLING', WINDOW_SIZE = '10 SECONDS');
CREATE STREAM windowed AS SELECT ws.id, c, s FROM ws LEFT JOIN ws2 WITHIN 1 DAY ON ws.id = ws2.id;
SELECT ws_id, WINDOWSTART, WINDOWEND, c, s FROM windowed;
-- The bounds of a source are NULL in the value where it has no row.
CREATE STREAM bounds AS SELECT ROWKEY AS id, ws.WINDOWSTART AS l, ws2.WINDOWEND AS r, c, s FROM ws FULL OUTER JOIN ws2 WITHIN 1 SECOND ON ws.id = ws2.id;
SELECT id, WINDOWSTART, l, r, c, s FROM bounds;
CREATE STREAM e AS SELECT ws.id, c, b FROM ws JOIN r WITHIN 1 DAY ON ws.id = r.id;
CREATE STREAM e AS SELECT ws.id, c, b FROM ws JOIN rt ON ws.id = rt.id;
CREATE TABLE e AS SELECT wl.id, c, s FROM wl JOIN wr ON wl.id = wr.id;
CREATE STREAM wss (id INT KEY, s INT) WITH (KAFKA_TOPIC = '${prefix}wr', VALUE_FORMAT = 'JSON', WINDOW_TYPE = 'SESSION');
CREATE STREAM e AS SELECT ws.id, c, s FROM ws JOIN wss WITHIN 1 DAY ON ws.id = wss.id;
