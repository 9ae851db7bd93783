-- A VIRTUAL column is not written, so it gives no record its timestamp: that is the query's ROWTIME, or the current time.
CREATE STREAM given (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}from', VALUE_FORMAT = 'JSON', KEY_FORMAT = 'KAFKA', PARTITIONS = 1);

INSERT INTO given (k, v, ROWTIME) VALUES ('then', 1, 1714500000000);

CREATE STREAM virtual (k STRING KEY, v INT, ts TIMESTAMP METADATA FROM 'timestamp' VIRTUAL)
WITH (KAFKA_TOPIC = '${prefix}v', VALUE_FORMAT = 'JSON', KEY_FORMAT = 'KAFKA', PARTITIONS = 1, TIMESTAMP = 'ts');

INSERT INTO virtual VALUES ('now', 1);

INSERT INTO virtual (k, v, ROWTIME) SELECT k, v, ROWTIME FROM given;

SELECT k, v, ts > TIMESTAMP '2024-06-01' AS recent FROM virtual ORDER BY k;

CREATE STREAM by_header (k STRING KEY, v INT, created STRING METADATA FROM 'headers.created' VIRTUAL)
WITH (KAFKA_TOPIC = '${prefix}h', VALUE_FORMAT = 'JSON', KEY_FORMAT = 'KAFKA', PARTITIONS = 1, TIMESTAMP = 'created', TIMESTAMP_FORMAT = 'yyyy-MM-dd');

INSERT INTO by_header VALUES ('now', 1);

SELECT k, v, created FROM by_header;
