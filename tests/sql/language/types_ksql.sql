-- ksqlDB's types and no others: each other one is refused with the type to use; lengths are read and ignored.
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM s (k INTEGER KEY, a INT(4), t VARCHAR(2), u VARCHAR(STRING), ts TIMESTAMP(3), l ARRAY<STRING(2)>, st STRUCT<float INT, long VARCHAR(2)>, x VARCHAR(2) ARRAY, y BINARY) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
DESCRIBE s;
INSERT INTO s (k, a, t, l, st, x) VALUES (1, 123456, 'longer', ARRAY['longer'], STRUCT(float := 1, long := 'longer'), ARRAY['longer']);
SELECT a, t, l, st, x FROM s;
CREATE STREAM cut AS SELECT k, CAST(a AS VARCHAR(2)) AS t, CAST(t AS STRING(3)) AS u, CAST(l AS ARRAY<VARCHAR(1)>) AS l FROM s;
SELECT * FROM cut;
CREATE STREAM e (f TINYINT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM e (f SMALLINT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM e (f LONG) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM e (f FLOAT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE TABLE e (k REAL PRIMARY KEY, f INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM e (f DEC(4, 2)) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM e (f NUMERIC) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM e (f CHAR(3)) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM e (f TEXT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM e (f VARBINARY) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM e (f TIMESTAMP_NTZ) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM e (f INTERVAL DAY) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM e (f FLOAT ARRAY) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM e (f MAP<STRING, ARRAY<FLOAT>>) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM e (f STRUCT<a SMALLINT>) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM e AS SELECT k, CAST(a AS FLOAT) AS f FROM s;
CREATE STREAM e AS SELECT k, CAST(l AS ARRAY<CHAR(2)>) AS f FROM s;
CREATE STREAM e AS SELECT k, CAST(a AS DECIMAL) AS f FROM s;
CREATE TYPE e AS STRUCT<a FLOAT>;
ALTER STREAM s ADD COLUMN f FLOAT;
-- The name of a named type may be anything.
CREATE TYPE text AS STRING;
CREATE STREAM named (k INT KEY, f TEXT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
DESCRIBE named;
SET spark.kafkalyst.dialect = spark;
CREATE STREAM sparks (k INT KEY, f FLOAT, d DECIMAL, s SMALLINT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
