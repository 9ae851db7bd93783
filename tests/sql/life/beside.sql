-- A catalog of the session that cannot be used does not hinder statements about other objects.
-- topic: ${prefix}s
-- conf: spark.kafkalyst.query.trigger=available-now
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z]+_\d+ => ${query}
SET spark.sql.catalog.golden_broken = io.kafkalyst.KafkaCatalog;
SET spark.sql.catalog.golden_broken.kafka.acks = 1;
CREATE STREAM s (k INT KEY, v STRING, w INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM copy WITH (KAFKA_TOPIC = '${prefix}c') AS SELECT * FROM s EMIT CHANGES;
DROP STREAM copy DELETE TOPIC;
DROP STREAM s DELETE TOPIC;
SELECT * FROM golden_broken.x;
RESET spark.sql.catalog.golden_broken.kafka.acks;
RESET spark.sql.catalog.golden_broken;
