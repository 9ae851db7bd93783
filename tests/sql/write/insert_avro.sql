-- The same in AVRO: the schema is registered when the stream is declared.
CREATE STREAM s (k BIGINT KEY, a STRING, b DOUBLE, d DECIMAL(9, 2), t TIMESTAMP, n TIMESTAMP_NTZ, dt DATE, raw BYTES, arr ARRAY<INT>, m MAP<STRING, INT>, st STRUCT<x INT, y STRING>)
WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO s VALUES (1, 'ä€🙂', -1.5, 12.34, TIMESTAMP '2024-05-06 07:08:09.123456', TIMESTAMP_NTZ '1999-12-31 23:59:59.999999', DATE '0001-01-01', X'00ff', array(1, NULL, 3), map('p', 1, 'q', NULL), named_struct('x', NULL, 'y', 'z'));
INSERT INTO s (k) VALUES (2);
SELECT * FROM s;
CREATE STREAM again WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO');
DESCRIBE again;
SELECT st.y, d FROM again WHERE st IS NOT NULL;
DROP STREAM again;
DROP STREAM s DELETE TOPIC;
