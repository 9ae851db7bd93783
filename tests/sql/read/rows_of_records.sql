-- What the rows of one record have of their own, and what stays of a record whose value is bad.
-- topic: ${prefix}c partitions=1
-- record: ${prefix}c {"type":"INSERT","data":[{"id":1,"ts":1000},{"id":2,"ts":999000}]}
-- topic: ${prefix}b partitions=1
-- record: ${prefix}b {"type":"INSERT","data":[{"id":1,"ts":1000},{"id":2,"ts":null}]}
-- record: ${prefix}b {"type":"INSERT","data":[{"id":3,"ts":3000}]}
-- topic: ${prefix}t partitions=1
-- record: ${prefix}t key={"id":1} {"id":1,"v":1}
-- record: ${prefix}t key={"id":1} {"id":1,"v":"x"}
-- topic: ${prefix}n partitions=1
-- record: ${prefix}n {"s":{"a":1,"b":2}}
CREATE STREAM c (id INT, ts BIGINT) WITH (KAFKA_TOPIC = '${prefix}c', VALUE_FORMAT = 'CANAL_JSON', TIMESTAMP = 'ts');
SELECT id, ROWTIME FROM c ORDER BY id;
CREATE STREAM b (id INT, ts BIGINT) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'CANAL_JSON', TIMESTAMP = 'ts', ON_ERROR = 'skip');
SELECT id, ROWTIME FROM b ORDER BY id;
CREATE STREAM b0 (id INT, ts BIGINT) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'CANAL_JSON', TIMESTAMP = 'ts', ON_ERROR = 'null');
SELECT id, ROWTIME, _error FROM b0 ORDER BY id;
CREATE TABLE t (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'value.format' = 'json', 'on_error' = 'null'
);
SELECT * FROM t;
CREATE STREAM n (s STRUCT<a INT, b INT>) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON', 'schema.evolution' = 'fail');
SELECT s.a FROM n;
