-- Constraints, which Spark 4.0 does not have, are not kept for a topic.
-- spark: 4.1 4.2
CREATE STREAM s (id INT KEY, n INT) WITH (KAFKA_TOPIC = '${prefix}s', FORMAT = 'JSON', PARTITIONS = 1);
ALTER TABLE s ADD CONSTRAINT c CHECK (n > 0);
ALTER TABLE s ADD CONSTRAINT p PRIMARY KEY (n);
ALTER TABLE s DROP CONSTRAINT c;
SELECT * FROM s;
