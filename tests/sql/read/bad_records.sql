-- A record that is not of the format: fail (default) says where it is, skip passes over it.
-- topic: ${prefix}b
-- record: ${prefix}b {"a": 1}
-- record: ${prefix}b {"a": "one"}
-- record: ${prefix}b {"a": 3}
-- replace: partition \d+ => partition n
CREATE STREAM b (a INT) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'JSON');
SELECT * FROM b;
SELECT count(*) FROM b;
ALTER TABLE b SET TBLPROPERTIES ('on_error' = 'skip');
SELECT * FROM b;
CREATE STREAM wrong WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'AVRO');
DROP STREAM b;
