-- Values at the edges of their types are bad records, under each policy, and not failures of the query.
-- topic: ${prefix}d partitions=1
-- record: ${prefix}d {"before":null,"after":{"id":1},"op":"c","ts_ms":9223372036854775807}
-- record: ${prefix}d {"before":null,"after":{"id":2},"op":"c","ts_ms":1700000000000}
-- topic: ${prefix}p partitions=1
-- record: ${prefix}p {"id":1,"at":"+999999999-01-01 00"}
-- record: ${prefix}p {"id":2,"at":"2024-02-30 00"}
-- record: ${prefix}p {"id":3,"at":"2024-02-28 00"}
-- topic: ${prefix}l partitions=1
CREATE TABLE d (id INT, at TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL) WITH (
  'connector' = 'kafka', 'topic' = '${prefix}d', 'format' = 'debezium-json', 'on_error' = 'skip',
  'scan.startup.mode' = 'earliest-offset'
);
SELECT * FROM d;
ALTER TABLE d SET TBLPROPERTIES ('on_error' = 'fail');
SELECT * FROM d;
CREATE STREAM p (id INT, at STRING) WITH (
  KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'JSON', TIMESTAMP = 'at', TIMESTAMP_FORMAT = 'uuuu-MM-dd HH', ON_ERROR = 'null'
);
SELECT id, ROWTIME, _error FROM p ORDER BY id;
CREATE STREAM texts (v STRING) WITH (KAFKA_TOPIC = '${prefix}l', VALUE_FORMAT = 'KAFKA');
INSERT INTO texts SELECT concat('{"', repeat('n', 60000), '":1,"v":0.', repeat('1', 900), ',"w":2}');
INSERT INTO texts SELECT '{"v":1,"w":3}';
CREATE STREAM l (v DOUBLE, w INT) WITH (KAFKA_TOPIC = '${prefix}l', VALUE_FORMAT = 'JSON', ON_ERROR = 'skip');
SELECT round(v, 3), w FROM l ORDER BY w;
