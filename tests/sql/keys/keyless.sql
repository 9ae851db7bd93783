-- Streams without keys take a format for the keys of what is made of them; streams of keys only; keys that are null.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
CREATE STREAM s (v STRING, i INT) WITH (KAFKA_TOPIC = '${prefix}s', FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM s2 (v STRING, i INT) WITH (KAFKA_TOPIC = '${prefix}s', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');
INSERT INTO s (ROWTIME, v, i) VALUES (1, 'x', 1);
INSERT INTO s (ROWTIME, v, i) VALUES (2, NULL, 2);
CREATE STREAM by_v AS SELECT * FROM s PARTITION BY v;
PRINT '${prefix}BY_V';
CREATE STREAM by_both AS SELECT v, i, i + 1 AS j FROM s2 PARTITION BY v, i;
PRINT '${prefix}BY_BOTH';
-- A result without a key may have a key format, which no key needs yet.
CREATE STREAM plain WITH (FORMAT = 'JSON') AS SELECT i FROM s;
CREATE STREAM formatted WITH (KEY_FORMAT = 'JSON') AS SELECT i FROM s;
CREATE STREAM keys (k INT KEY) WITH (KAFKA_TOPIC = '${prefix}keys', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO keys (ROWTIME, k) VALUES (3, 7);
CREATE STREAM more AS SELECT k, k + 1 AS next FROM keys;
PRINT '${prefix}keys';
PRINT '${prefix}MORE';
CREATE STREAM none_left AS SELECT k FROM keys;
-- A null key stays null, several nulls that PARTITION BY asks for do not.
CREATE STREAM two (a INT KEY, b STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}two', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO two (ROWTIME, v) VALUES (4, 1);
CREATE STREAM same WITH (KEY_FORMAT = 'PROTOBUF') AS SELECT * FROM two;
PRINT '${prefix}SAME';
CREATE STREAM rekeyed AS SELECT a AS x, b AS y, v FROM two PARTITION BY a, b;
PRINT '${prefix}REKEYED';
