-- INSERT INTO … SELECT as a query that runs on: what makes it one, its checks, ids, formats of the target.
-- topic: ${prefix}a partitions=1
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: INSERTQUERY_\d+ => ${insert}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- replace: QID_\w+ => ${qid}
CREATE STREAM a (k INT KEY, v INT, s STRING) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'JSON');
CREATE STREAM b (k INT KEY, v BIGINT, s STRING) WITH (KAFKA_TOPIC = '${prefix}b', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO a VALUES (1, 10, 'x'), (2, 20, NULL);
INSERT INTO b SELECT * FROM a;
INSERT INTO b SELECT k, v + 1 AS v, s FROM a WHERE v > 10 EMIT CHANGES;
INSERT INTO b WITH (QUERY_ID = 'qid_${prefix}') SELECT v AS k, 5 AS v, s FROM a PARTITION BY v;
SELECT * FROM b ORDER BY k, v;
INSERT INTO b SELECT k, v FROM a;
INSERT INTO b SELECT k, s AS v, s FROM a;
INSERT INTO b SELECT k, v AS w, s FROM a;
INSERT INTO b SELECT v, AS_VALUE(k) AS k, s FROM a PARTITION BY v;
INSERT INTO b WITH (QUERY_ID = 'insertquery_x') SELECT * FROM a;
INSERT INTO b WITH (PARTITIONS = 2) SELECT * FROM a;
INSERT INTO nope SELECT * FROM a EMIT CHANGES;
INSERT INTO b SELECT * FROM a LIMIT 1;
CREATE TABLE t (k INT PRIMARY KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t SELECT k, v FROM a EMIT CHANGES;
CREATE STREAM h (k INT KEY, v INT, s STRING, hs ARRAY<STRUCT<key STRING, value BYTES>> HEADERS) WITH (KAFKA_TOPIC = '${prefix}h', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO h SELECT * FROM a EMIT CHANGES;
INSERT INTO a SELECT l.k AS k, l.v AS v, r.s AS s FROM a l JOIN a r WITHIN 1 HOUR ON l.k = r.k;
-- Spark's own, once: rows of anything but topics alone.
INSERT INTO a SELECT 9, 90, 'batch';
INSERT INTO a (k, v) SELECT k, v FROM a WHERE k = 9;
SELECT * FROM a ORDER BY k;
