-- Events that are none, or lack what they need, under each ON_ERROR.
-- topic: ${prefix}b partitions=1
-- record: ${prefix}b {"before":null,"after":{"id":1,"name":"a"},"op":"c"}
-- record: ${prefix}b {"before":null,"after":{"id":1,"name":"b"},"op":"u"}
-- record: ${prefix}b {"before":{"id":1,"name":"b"},"after":{"id":"one","name":"c"},"op":"u"}
-- record: ${prefix}b {"before":null,"after":null,"op":"d"}
-- record: ${prefix}b {"before":null,"op":"t"}
-- record: ${prefix}b {"op":7}
-- record: ${prefix}b [1]
-- record: ${prefix}b {"before":[],"after":{"id":2},"op":"c"}
-- topic: ${prefix}n partitions=1
-- record: ${prefix}n {"op":"c","after":{"id":1},"x":1e2147483648}
-- record: ${prefix}n {"op":"c","after":{"id":1e1000000000}}
-- record: ${prefix}n {"op":"c","after":{"id":2,"name":"\ud800"}}
-- record: ${prefix}n {"op":"c","after":{"id":3}}
CREATE STREAM fails (id INT, name STRING) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'DEBEZIUM_JSON');
SELECT * FROM fails;
CREATE STREAM skips (id INT, name STRING) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'DEBEZIUM_JSON', ON_ERROR = 'skip');
SELECT _op, * FROM skips;
CREATE STREAM nulls (id INT, name STRING) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'DEBEZIUM_JSON', ON_ERROR = 'null');
SELECT _op, *, _error FROM nulls ORDER BY ROWOFFSET;
CREATE TABLE latest (id INT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'DEBEZIUM_JSON', ON_ERROR = 'skip');
SELECT * FROM latest;
CREATE STREAM numbers (id INT, name STRING) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'DEBEZIUM_JSON', ON_ERROR = 'null');
SELECT _op, *, _error FROM numbers ORDER BY ROWOFFSET;
