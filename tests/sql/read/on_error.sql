-- The policies, how they are set and what is refused.
-- topic: ${prefix}e
-- record: ${prefix}e {"a": 1}
-- record: ${prefix}e {"a": "one"}
-- record: ${prefix}e {"a": 3}
-- replace: partition \d+ => partition n
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}e', VALUE_FORMAT = 'JSON', ON_ERROR = 'sikp');
CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}e', VALUE_FORMAT = 'JSON', ON_ERROR = 'SKIP');
SELECT * FROM e;
-- The one read, and the object from now on.
SELECT * FROM e WITH ('on_error' = 'fail');
SELECT a, _error IS NULL AS good FROM e WITH ('on_error' = 'null');
SELECT a FROM e WITH ('on_error' = 'nul');
SELECT * FROM e WITH ('on_error' = 'dead-letter');
ALTER TABLE e SET TBLPROPERTIES ('on_error' = 'dead-letter');
SELECT * FROM e;
ALTER TABLE e SET TBLPROPERTIES ('on_error' = 'never');
SELECT * FROM e;
DROP STREAM e;
CREATE STREAM e (a INT)
WITH (KAFKA_TOPIC = '${prefix}e', VALUE_FORMAT = 'JSON', ON_ERROR = 'skip', DEAD_LETTER_TOPIC = '${prefix}d');
CREATE STREAM e (a INT)
WITH (KAFKA_TOPIC = '${prefix}e', VALUE_FORMAT = 'JSON', DEAD_LETTER_TOPIC = '${prefix}e');
CREATE STREAM x (a INT)
WITH (KAFKA_TOPIC = '${prefix}e', VALUE_FORMAT = 'JSON', DEAD_LETTER_TOPIC = '__consumer_offsets');
SET spark.kafkalyst.on.error = no;
SHOW STREAMS;
SET spark.kafkalyst.on.error = null;
CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}e', VALUE_FORMAT = 'JSON');
SET spark.kafkalyst.on.error = fail;
SELECT a FROM e WHERE _error IS NOT NULL;
DROP STREAM e;
CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}e', VALUE_FORMAT = 'JSON', DEAD_LETTER_TOPIC = '${prefix}d');
DESCRIBE e EXTENDED;
SELECT * FROM e;
-- Another look at the same records sends them again.
SELECT * FROM e;
CREATE STREAM d (raw STRING) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'KAFKA');
SELECT * FROM d;
DROP STREAM e;
DROP STREAM d DELETE TOPIC;
CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}e', VALUE_FORMAT = 'JSON', ON_ERROR = 'dead-letter');
SELECT * FROM e;
SELECT * FROM e;
CREATE STREAM d (raw STRING) WITH (KAFKA_TOPIC = '${prefix}e-dlq', VALUE_FORMAT = 'KAFKA');
SELECT * FROM d;
-- The topic of the dead letters of an object stays as long as the object.
DROP STREAM d DELETE TOPIC;
DROP STREAM e;
DROP STREAM d DELETE TOPIC;
-- A continuous query's sink has a policy too; its source's letters are sent as the query reads.
CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}e', VALUE_FORMAT = 'JSON', ON_ERROR = 'dead-letter');
CREATE STREAM c WITH (KAFKA_TOPIC = '${prefix}c', DEAD_LETTER_TOPIC = '${prefix}cd') AS SELECT a FROM e;
SELECT * FROM c;
SHOW STREAMS;
CREATE STREAM d (raw STRING) WITH (KAFKA_TOPIC = '${prefix}e-dlq', VALUE_FORMAT = 'KAFKA');
SELECT * FROM d;
CREATE STREAM cd (raw STRING) WITH (KAFKA_TOPIC = '${prefix}cd', VALUE_FORMAT = 'KAFKA');
SELECT * FROM cd;
TERMINATE ALL;
DROP STREAM c DELETE TOPIC;
DROP STREAM cd DELETE TOPIC;
DROP STREAM e;
DROP STREAM d DELETE TOPIC;
