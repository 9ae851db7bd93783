-- In ksqlDB's dialect a group has the headers of its last record: without a window, in each kind of window, over several runs.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
CREATE STREAM S (K STRING KEY, V INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO S (_headers, ROWTIME, K, V) VALUES (array(named_struct('KEY', 'h', 'VALUE', X'01')), 1, 'a', 1);
INSERT INTO S (_headers, ROWTIME, K, V) VALUES (array(named_struct('KEY', 'h', 'VALUE', X'02'), named_struct('KEY', 'g', 'VALUE', NULL)), 2, 'a', 1);
INSERT INTO S (ROWTIME, K, V) VALUES (3, 'b', 2);
CREATE TABLE G AS SELECT K, COUNT(*) AS C FROM S GROUP BY K;
SELECT K, C, _headers FROM G;
CREATE TABLE W AS SELECT K, COUNT(*) AS C FROM S WINDOW TUMBLING (SIZE 1 SECOND) GROUP BY K;
SELECT K, C, _headers FROM W;
CREATE TABLE SESSIONS AS SELECT K, COUNT(*) AS C FROM S WINDOW SESSION (1 SECOND) GROUP BY K;
SELECT K, C, _headers FROM SESSIONS;
INSERT INTO S (_headers, ROWTIME, K, V) VALUES (array(named_struct('KEY', 'i', 'VALUE', X'03')), 2000, 'a', 1);
CREATE OR REPLACE TABLE G AS SELECT K, COUNT(*) AS C FROM S GROUP BY K;
SELECT K, C, _headers FROM G;
CREATE TABLE FINALS AS SELECT K, COUNT(*) AS C FROM S WINDOW TUMBLING (SIZE 1 SECOND, GRACE PERIOD 0 SECONDS) GROUP BY K EMIT FINAL;
SELECT K, C, _headers FROM FINALS;
-- Elsewhere groups have none.
SET spark.kafkalyst.dialect=spark;
CREATE TABLE plain AS SELECT K, COUNT(*) AS C FROM S GROUP BY K EMIT CHANGES;
SELECT K, C, _headers FROM plain;
