-- Queries with TIME run again, by RESUME and with a text in their place; Spark 4.0 has no TIME.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- spark: 4.1 4.2
CREATE STREAM s (k STRING KEY, t TIME) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE r (k STRING PRIMARY KEY, u TIME) WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO r (ROWTIME, k, u) VALUES (5, 'a', '07:00');
INSERT INTO s (ROWTIME, k, t) VALUES (10, 'a', '10:15');
CREATE STREAM other (k STRING KEY, t TIME) WITH (KAFKA_TOPIC = '${prefix}other', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO other WITH (QUERY_ID = 'times_go_on') SELECT k, t FROM s;
CREATE STREAM copy AS SELECT k, t FROM s;
CREATE TABLE grouped AS SELECT k, MAX(t) AS m, COLLECT_LIST(t) AS l FROM s GROUP BY k;
CREATE STREAM joined AS SELECT s.k AS k, t, u FROM s LEFT JOIN r ON s.k = r.k;
INSERT INTO s (ROWTIME, k, t) VALUES (20, 'a', '11:30');
RESUME times_go_on;
SELECT * FROM other;
CREATE OR REPLACE STREAM copy AS SELECT k, t FROM s;
CREATE OR REPLACE TABLE grouped AS SELECT k, MAX(t) AS m, COLLECT_LIST(t) AS l FROM s GROUP BY k;
CREATE OR REPLACE STREAM joined AS SELECT s.k AS k, t, u FROM s LEFT JOIN r ON s.k = r.k;
SELECT * FROM copy;
SELECT * FROM grouped;
SELECT * FROM joined;
