-- Times that Spark has no TIMESTAMP for are records' faults, whatever is made of them.
-- topic: ${prefix}far
-- record: ${prefix}far {"id":1,"ts":1700000000000}
-- record: ${prefix}far {"id":2,"ts":1700000000000000000}
-- record: ${prefix}far {"id":3,"ts":9223372036854775807}
CREATE STREAM far (id INT, ts BIGINT)
WITH (KAFKA_TOPIC = '${prefix}far', VALUE_FORMAT = 'JSON', TIMESTAMP = 'ts', ON_ERROR = 'skip');
SELECT id, ROWTIME FROM far;
SELECT id FROM far WHERE ROWTIME = TIMESTAMP_MILLIS(1700000000000);
SELECT COUNT(*) AS n FROM far WINDOW TUMBLING (SIZE 1 MINUTE) GROUP BY ts > 0;
CREATE STREAM strict (id INT, ts BIGINT)
WITH (KAFKA_TOPIC = '${prefix}far', VALUE_FORMAT = 'JSON', TIMESTAMP = 'ts');
SELECT id, ROWTIME FROM strict;
SET spark.sql.datetime.java8API.enabled = true;
SELECT id FROM far TIMESTAMP AS OF '2100-01-01';
