-- Tables with tables, on primary keys and on a foreign key: the result is a table.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
-- topic: ${prefix}l partitions=1
-- topic: ${prefix}r partitions=1
CREATE TABLE l (id INT PRIMARY KEY, a STRING, rid INT) WITH (KAFKA_TOPIC = '${prefix}l', VALUE_FORMAT = 'JSON');
CREATE TABLE r (id INT PRIMARY KEY, b STRING) WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'JSON');
INSERT INTO l (ROWTIME, id, a, rid) VALUES (10, 1, 'l1', 7), (20, 2, 'l2', 7), (30, 3, 'l3', 8), (80, 2, 'l2', 8);
INSERT INTO r (ROWTIME, id, b) VALUES (15, 1, 'r1'), (25, 4, 'r4'), (40, 7, 'r7'), (50, 3, 'r3'), (60, 8, 'r8');
INSERT INTO r (ROWTIME, id, _tombstone) VALUES (70, 1, true);
CREATE TABLE inner_ AS SELECT l.id, a, b FROM l JOIN r ON l.id = r.id EMIT CHANGES;
SELECT *, ROWTIME FROM inner_;
DESCRIBE inner_;
CREATE TABLE left_ AS SELECT l.id, a, b FROM l LEFT JOIN r ON l.id = r.id EMIT CHANGES;
SELECT *, ROWTIME FROM left_;
CREATE TABLE right_ AS SELECT r.id AS rk, a, b FROM l RIGHT JOIN r ON l.id = r.id EMIT CHANGES;
SELECT *, ROWTIME FROM right_;
CREATE TABLE full_ AS SELECT ROWKEY AS k, l.id, a, b FROM l FULL OUTER JOIN r ON l.id = r.id EMIT CHANGES;
SELECT *, ROWTIME FROM full_;
CREATE TABLE full_star AS SELECT * FROM l FULL OUTER JOIN r ON l.id = r.id EMIT CHANGES;
SELECT * FROM full_star;
CREATE TABLE foreign_ AS SELECT l.id, a, b FROM l JOIN r ON l.rid = r.id EMIT CHANGES;
SELECT *, ROWTIME FROM foreign_;
CREATE TABLE foreign_left AS SELECT l.id, a, b FROM l LEFT JOIN r ON l.rid = r.id WHERE a <> 'l1' EMIT CHANGES;
SELECT * FROM foreign_left;
