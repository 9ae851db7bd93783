-- The same INSERT again starts another query, as in ksqlDB; its notes name the first one. QUERY_ID refuses the second.
-- conf: spark.kafkalyst.query.restart.attempts=0
-- replace: INSERTQUERY_\d+ => INSERTQUERY_n
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- topic: ${prefix}s partitions=1
-- record: ${prefix}s {"k": 1}
CREATE STREAM s (k INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM o (k INT) WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM p (k INT) WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO o SELECT k FROM s EMIT CHANGES;
INSERT INTO o SELECT k FROM s EMIT CHANGES;
-- Another text, another sink, an id of its own.
INSERT INTO o SELECT k + 1 AS k FROM s EMIT CHANGES;
INSERT INTO p SELECT k FROM s EMIT CHANGES;
INSERT INTO o WITH (QUERY_ID = 'once') SELECT k FROM s EMIT CHANGES;
INSERT INTO o WITH (QUERY_ID = 'once') SELECT k FROM s EMIT CHANGES;
TERMINATE ALL;
INSERT INTO o SELECT k FROM s EMIT CHANGES;
TERMINATE ALL;
DROP STREAM p DELETE TOPIC;
DROP STREAM o DELETE TOPIC;
