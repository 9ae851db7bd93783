-- Two streams within a time: inner, and outer ones with and without a grace period.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- topic: ${prefix}l partitions=1
-- topic: ${prefix}r partitions=1
CREATE STREAM l (id INT KEY, a STRING) WITH (KAFKA_TOPIC = '${prefix}l', VALUE_FORMAT = 'JSON');
CREATE STREAM r (id INT KEY, b STRING) WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'JSON');
INSERT INTO l (ROWTIME, id, a) VALUES (1000, 1, 'l1'), (5000, 2, 'l2'), (50000, 1, 'l3'), (60000, 3, 'l4');
INSERT INTO r (ROWTIME, id, b) VALUES (4000, 1, 'r1'), (11001, 1, 'r2'), (40000, 2, 'r3'), (60000, 1, 'r4');
CREATE STREAM inner_ AS SELECT l.id, a, b FROM l JOIN r WITHIN 10 SECONDS ON l.id = r.id;
SELECT *, ROWTIME FROM inner_;
DESCRIBE inner_;
CREATE STREAM left_ AS SELECT l.id AS k, l.a, r.b FROM l LEFT JOIN r WITHIN (1 SECOND, 10 SECONDS) ON l.id = r.id EMIT CHANGES;
SELECT *, ROWTIME FROM left_;
CREATE STREAM left_grace AS SELECT l.id AS k, l.a, r.b FROM l LEFT JOIN r WITHIN 10 SECONDS GRACE PERIOD 5 SECONDS ON l.id = r.id;
SELECT *, ROWTIME FROM left_grace;
CREATE STREAM right_grace AS SELECT r.id, l.a, r.b FROM l RIGHT JOIN r WITHIN 10 SECONDS GRACE PERIOD 5 SECONDS ON l.id = r.id;
SELECT *, ROWTIME FROM right_grace;
SELECT l.id, a, b FROM l JOIN r WITHIN 10 SECONDS ON l.id = r.id WHERE b <> 'r1' EMIT CHANGES;
