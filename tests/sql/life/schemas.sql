-- DROP SCHEMA ends the queries of its own objects, and is refused for others.
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (C[ST]AS_[A-Z_]+)_\d+ => ${query}
CREATE SCHEMA passing;
CREATE STREAM passing.first (id INT) WITH (KAFKA_TOPIC = '${prefix}first', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM passing.second WITH (KAFKA_TOPIC = '${prefix}second') AS SELECT * FROM passing.first EMIT CHANGES;
CREATE STREAM outside WITH (KAFKA_TOPIC = '${prefix}outside') AS SELECT * FROM passing.first EMIT CHANGES;
SET spark.kafkalyst.dialect = ksqldb;
DROP SCHEMA passing CASCADE;
SET spark.kafkalyst.dialect = spark;
SHOW STREAMS IN passing;
DROP SCHEMA passing;
DROP STREAM outside;
DROP SCHEMA passing CASCADE;
SHOW QUERIES;
SHOW STREAMS IN passing;
