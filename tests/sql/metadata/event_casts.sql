-- METADATA columns of events are cast with the lengths and precisions that their statement gives them.
-- topic: ${prefix}e partitions=1
-- record: ${prefix}e {"before":null,"after":{"id":1},"source":{"schema":"shop","table":"products","ts_ms":1596030480123},"op":"c","ts_ms":1596030481123}
CREATE TABLE t (
  id INT,
  tab VARCHAR(4) METADATA FROM 'value.source.table' VIRTUAL,
  padded CHAR(6) METADATA FROM 'value.source.schema' VIRTUAL,
  at TIMESTAMP_LTZ(0) METADATA FROM 'value.ingestion-timestamp' VIRTUAL,
  day CHAR(10) METADATA FROM 'value.source.timestamp' VIRTUAL
) WITH ('connector' = 'kafka', 'topic' = '${prefix}e', 'format' = 'debezium-json');
SELECT id, tab, CONCAT(padded, '.') AS padded, at, day FROM t;
CREATE TABLE whole (id INT, tab STRING METADATA FROM 'value.source.table' VIRTUAL, at TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL, millis BIGINT METADATA FROM 'value.source.timestamp' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}e', 'format' = 'debezium-json');
SELECT * FROM whole;
