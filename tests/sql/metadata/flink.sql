-- METADATA columns: read, written, left NULL, cast, VIRTUAL.
-- topic: ${prefix}t partitions=2
CREATE TABLE kafka_table (
  id BIGINT PRIMARY KEY,
  name STRING,
  timestamp BIGINT METADATA,
  part INT METADATA FROM 'partition',
  offset INT METADATA VIRTUAL,  -- cannot be written out
  headers MAP<STRING, BYTES> METADATA
) WITH (KAFKA_TOPIC = '${prefix}t', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
DESCRIBE kafka_table;
INSERT INTO kafka_table VALUES (1, 'ABC', 1599133672, 1, map('checksum', X'0102'));
INSERT INTO kafka_table (id, part, timestamp, name) VALUES (2, 1, 5, 'DEF');
INSERT INTO kafka_table (id, name, part) VALUES (3, 'GHI', 0);
SELECT id, name, timestamp, part, offset, headers FROM kafka_table WHERE id < 3;
SELECT id, timestamp > 1700000000000 AS now, headers FROM kafka_table WHERE id = 3;
SELECT id, ROWTIME = timestamp, ROWPARTITION, ROWOFFSET FROM kafka_table;
SELECT * FROM kafka_table WHERE id < 3;
CREATE STREAM other (
  i BIGINT KEY,
  s STRING,
  timestamp TIMESTAMP METADATA,
  myOffset STRING METADATA FROM 'offset' VIRTUAL,
  topic STRING METADATA VIRTUAL,
  epoch BIGINT METADATA FROM 'leader-epoch' VIRTUAL,
  tt STRING METADATA FROM 'timestamp-type' VIRTUAL,
  h ARRAY<STRUCT<key STRING, value STRING>> METADATA FROM 'headers',
  checksum STRING METADATA FROM 'headers.checksum'
) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
SELECT i, timestamp, myOffset, topic, epoch, tt, h.key, hex(checksum) FROM other WHERE i < 3;
INSERT INTO other VALUES (4, NULL, TIMESTAMP '2024-05-06 07:08:09.123', array(named_struct('key', 'a', 'value', 'x'), named_struct('key', 'a', 'value', NULL)), 'sum');
SELECT i, timestamp, h, checksum FROM other WHERE i = 4;
SELECT ROWPARTITION, count(*) FROM other GROUP BY ROWPARTITION;
SELECT o.i, k.ROWOFFSET FROM other o JOIN kafka_table k ON o.ROWOFFSET = k.ROWOFFSET AND o.ROWPARTITION = k.ROWPARTITION AND o.i = 2;
SELECT i, ROWOFFSET, ROWPARTITION, ROWTIME > 0, timestamp IS NULL FROM other WHERE i < 3 EMIT CHANGES;
SELECT i FROM other WHERE ROWPARTITION = 1 AND i < 4 EMIT CHANGES;
INSERT INTO kafka_table (id, name, ROWTIME) VALUES (9, 'nine', 77);
INSERT INTO kafka_table (id, name, offset) VALUES (9, 'nine', 77);
INSERT INTO kafka_table (id, name, ROWOFFSET) VALUES (9, 'nine', 77);
INSERT INTO kafka_table VALUES (1, 'ABC', 1599133672, 1, 7, map('checksum', X'0102'));
INSERT INTO kafka_table (id, part) VALUES (9, 2);
INSERT INTO kafka_table (id, part) VALUES (9, -1);
INSERT INTO kafka_table (id, timestamp) VALUES (9, -1);
SELECT id, ROWTIME FROM kafka_table WHERE id = 9;
CREATE STREAM listed (i BIGINT KEY, hs ARRAY<STRUCT<key STRING, value STRING>> METADATA FROM 'header-list', s STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
INSERT INTO listed VALUES (5, array(named_struct('key', 'a', 'value', 'x'), NULL, named_struct('key', NULL, 'value', 'y'), named_struct('key', 'a', 'value', NULL)), 'five'), (6, NULL, 'six');
SELECT * FROM listed WHERE i > 4 AND i < 7 ORDER BY i;
CREATE STREAM `both` (i BIGINT KEY, hs ARRAY<STRUCT<key STRING, value BYTES>> METADATA FROM 'header-list', headers MAP<STRING, BYTES> METADATA, s STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
SELECT headers, cardinality(hs) FROM `both` WHERE i = 5;
INSERT INTO `both` (i) VALUES (7);
CREATE STREAM x (i BIGINT KEY, hs MAP<STRING, BYTES> METADATA FROM 'header-list', s STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
