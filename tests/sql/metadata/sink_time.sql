-- TIMESTAMP of a query's sink: the column's value; a row where it is null is not written, as in ksqlDB.
-- conf: spark.kafkalyst.on.error=skip
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: (C[ST]AS_[A-Z_]+|INSERTQUERY)_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM a (id INT KEY, v STRING, ts BIGINT) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM b (id INT KEY, w STRING) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM target (id INT KEY, v STRING, ts BIGINT) WITH (KAFKA_TOPIC = '${prefix}target', VALUE_FORMAT = 'JSON', PARTITIONS = 1, TIMESTAMP = 'ts');
INSERT INTO a (ROWTIME, id, v, ts) VALUES (100, 1, 'a1', 11), (500, 2, 'a2', NULL);
INSERT INTO b (ROWTIME, id, w) VALUES (150, 1, 'b1'), (450, 2, 'b2');
CREATE STREAM plain WITH (TIMESTAMP = 'ts') AS SELECT id, v, ts FROM a;
CREATE STREAM of_plain (id INT KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}PLAIN', VALUE_FORMAT = 'JSON');
SELECT *, ROWTIME FROM of_plain;
CREATE STREAM joined WITH (TIMESTAMP = 'ts') AS SELECT a.id, ts, w FROM a JOIN b WITHIN 1 SECOND ON a.id = b.id;
CREATE STREAM of_joined (id INT KEY, w STRING) WITH (KAFKA_TOPIC = '${prefix}JOINED', VALUE_FORMAT = 'JSON');
SELECT *, ROWTIME FROM of_joined;
INSERT INTO target SELECT id, v, ts FROM a;
CREATE STREAM of_target (id INT KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}target', VALUE_FORMAT = 'JSON');
SELECT *, ROWTIME FROM of_target;
CREATE TABLE grouped WITH (TIMESTAMP = 'latest') AS SELECT id, MAX(ts) AS latest FROM a GROUP BY id;
CREATE STREAM of_grouped (id INT KEY, latest BIGINT) WITH (KAFKA_TOPIC = '${prefix}GROUPED', VALUE_FORMAT = 'JSON');
SELECT *, ROWTIME FROM of_grouped;
