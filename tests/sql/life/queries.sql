-- The life of continuous queries, with the trigger that returns when all is written.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z]+_\d+ => ${query}
-- replace: \d+\.\d+(E-?\d+)? \| 0 \| NULL => ${rate} | 0 | NULL
-- replace: Did you mean "(g[0-9a-f]{8}_|\$\{prefix\})[^"]*"\? ? => 
CREATE STREAM s (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1, 'a'), (2, 'b');
CREATE STREAM copy AS SELECT k, upper(v) AS v FROM s;
CREATE STREAM other (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}other', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO other WITH (QUERY_ID = 'into_other') SELECT k, v FROM s;
SHOW QUERIES;
PAUSE into_other;
-- Refused: it is to go on.
DROP STREAM other;
DROP STREAM OTHER;
INSERT INTO s VALUES (3, 'c');
RESUME ALL;
SELECT * FROM other ORDER BY k;
-- One that has finished runs on, and with it another text.
CREATE OR REPLACE STREAM copy AS SELECT k, lower(v) AS v FROM s WHERE k > 2;
SELECT * FROM copy ORDER BY k;
CREATE OR REPLACE STREAM copy AS SELECT k, v FROM other;
CREATE TABLE counts AS SELECT k, count(*) AS c FROM s GROUP BY k EMIT CHANGES;
CREATE OR REPLACE TABLE counts AS SELECT k, count(*) AS c FROM s WHERE k > 1 GROUP BY k EMIT CHANGES;
CREATE OR REPLACE TABLE counts AS SELECT k, count(*) AS c, max(v) AS m FROM s GROUP BY k EMIT CHANGES;
CREATE OR REPLACE STREAM other (k INT KEY, v STRING, w INT) WITH (KAFKA_TOPIC = '${prefix}other', VALUE_FORMAT = 'JSON');
DESCRIBE EXTENDED other;
-- A failure is the statement's, and the query as it was is there again.
CREATE STREAM wrong (k INT KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM failing AS SELECT k, v FROM wrong;
DROP STREAM wrong DELETE TOPIC;
PAUSE nope;
TERMINATE nope;
EXPLAIN nope;
PAUSE;
RESUME 'x';
TERMINATE into_other;
SHOW QUERIES;
SET spark.kafkalyst.query.restart.backoff=5;
SHOW STREAMS;
RESET spark.kafkalyst.query.restart.backoff;
DROP STREAM copy DELETE TOPIC;
DROP TABLE counts DELETE TOPIC;
DROP STREAM other DELETE TOPIC;
