-- What groups over a STREAM of changes combine: the changes, or the rows as they are.
-- topic: ${prefix}d partitions=1
-- record: ${prefix}d {"before":null,"after":{"id":1,"n":"a"},"source":{},"op":"c","ts_ms":1}
-- record: ${prefix}d {"before":{"id":1,"n":"a"},"after":{"id":1,"n":"b"},"source":{},"op":"u","ts_ms":2}
-- record: ${prefix}d {"before":{"id":1,"n":"b"},"after":null,"source":{},"op":"d","ts_ms":3}
-- record: ${prefix}d {"before":null,"after":{"id":2,"n":"b"},"source":{},"op":"c","ts_ms":4}
-- replace: \S*/checkpoints/\S+ => ${checkpoint}
-- replace: C[ST]AS_[A-Z_0-9]+_\d+ => ${query}
CREATE STREAM facts (id INT, n STRING) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'DEBEZIUM_JSON');
CREATE STREAM living (id INT, n STRING) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'DEBEZIUM_JSON', CHANGES.COMBINED = 'rows');
SELECT n, COUNT(*) FROM facts GROUP BY n;
SELECT n, COUNT(*) FROM facts GROUP BY n EMIT CHANGES;
SELECT n, COUNT(*) FROM living GROUP BY n;
SELECT n, COUNT(*) FROM living GROUP BY n EMIT CHANGES;
CREATE TABLE counted WITH (KAFKA_TOPIC = '${prefix}f', VALUE_FORMAT = 'JSON') AS SELECT n, COUNT(*) AS c FROM facts GROUP BY n EMIT CHANGES;
CREATE TABLE counted WITH (KAFKA_TOPIC = '${prefix}f', VALUE_FORMAT = 'JSON') AS SELECT n, COUNT(*) AS c FROM living GROUP BY n EMIT CHANGES;
SELECT * FROM counted;
CREATE TABLE ops WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'JSON') AS SELECT _op AS op, COUNT(*) AS c FROM facts GROUP BY _op EMIT CHANGES;
SELECT * FROM ops;
SHOW CREATE TABLE living AS FLINK;
SHOW CREATE TABLE facts AS FLINK;
SHOW CREATE TABLE living AS KSQLDB;
CREATE STREAM wrong (id INT, n STRING) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'DEBEZIUM_JSON', CHANGES.COMBINED = 'some');
