-- PROTOBUF: the schema is registered when the stream is declared, and read back from the registry.
CREATE STREAM s (k BIGINT KEY, a STRING, b DOUBLE, d DECIMAL(9, 2), t TIMESTAMP, dt DATE, raw BYTES, ok BOOLEAN, arr ARRAY<INT>, m MAP<STRING, STRUCT<x INT>>, st STRUCT<x INT, y STRING>)
WITH (KAFKA_TOPIC = '${prefix}s', KEY_FORMAT = 'PROTOBUF', VALUE_FORMAT = 'PROTOBUF', PARTITIONS = 1);
INSERT INTO s VALUES (1, 'ä€🙂', -1.5, 12.34, TIMESTAMP '2024-05-06 07:08:09.123456', DATE '0001-01-01', X'00ff', true, array(1, 0, 3), map('p', named_struct('x', 1)), named_struct('x', NULL, 'y', 'z'));
-- A plain field of proto3 holds no null: it reads back as the type's default.
INSERT INTO s (k) VALUES (2);
SELECT * FROM s;
CREATE STREAM again WITH (KAFKA_TOPIC = '${prefix}s', KEY_FORMAT = 'PROTOBUF', VALUE_FORMAT = 'PROTOBUF');
DESCRIBE again;
SELECT k, st.y, m['p'].x, d FROM again WHERE st IS NOT NULL;
INSERT INTO s (k, arr) VALUES (3, array(1, NULL));
-- What Protobuf cannot hold is refused when it is declared.
CREATE STREAM names (`a b` INT, c STRUCT<`1` INT>) WITH (KAFKA_TOPIC = '${prefix}x', VALUE_FORMAT = 'PROTOBUF', PARTITIONS = 1);
CREATE STREAM nested (a ARRAY<ARRAY<INT>>) WITH (KAFKA_TOPIC = '${prefix}x', VALUE_FORMAT = 'PROTOBUF', PARTITIONS = 1);
DROP STREAM again;
DROP STREAM s DELETE TOPIC;
-- PROTOBUF_NOSR: a bare message, without a registry.
CREATE STREAM n (k STRUCT<a INT, b STRING> KEY, v BIGINT, w STRING)
WITH (KAFKA_TOPIC = '${prefix}n', FORMAT = 'PROTOBUF_NOSR', PARTITIONS = 1);
INSERT INTO n VALUES (named_struct('a', 1, 'b', 'x'), 7, 'seven'), (NULL, NULL, NULL);
SELECT * FROM n;
-- Text is not a message: the byte of < would end a group that was not begun.
CREATE STREAM text (v STRING) WITH (KAFKA_TOPIC = '${prefix}text', VALUE_FORMAT = 'KAFKA', PARTITIONS = 1);
INSERT INTO text VALUES ('<not protobuf>');
CREATE STREAM bad (v STRING) WITH (KAFKA_TOPIC = '${prefix}text', VALUE_FORMAT = 'PROTOBUF_NOSR');
SELECT * FROM bad;
DROP STREAM n DELETE TOPIC;
DROP STREAM bad;
DROP STREAM text DELETE TOPIC;
