-- Lengths, precisions, NOT NULL and comments are kept and shown, so that the text runs on Flink again.
-- topic: ${prefix}t
CREATE TABLE t (
  id BIGINT NOT NULL COMMENT 'the order''s number',
  code VARCHAR(10),
  fixed CHAR(3) NOT NULL,
  bytes VARBINARY(4),
  at TIMESTAMP(3),
  seen TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' COMMENT 'when it came',
  r ROW<a VARCHAR(3) NOT NULL, b TIMESTAMP(6)>,
  n STRING
) COMMENT 'orders' WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'key.fields' = 'id', 'value.format' = 'json', 'scan.startup.mode' = 'latest-offset');
DESCRIBE t;
SHOW CREATE TABLE t AS FLINK;
CREATE TABLE again WITH ('scan.startup.mode' = 'earliest-offset') LIKE t;
SHOW CREATE TABLE again AS FLINK;
SHOW CREATE TABLE again AS KSQLDB;
