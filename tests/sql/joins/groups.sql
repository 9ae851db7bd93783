-- Groups and EXPLODE over joins, in one statement.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM l (id INT KEY, a INT, n STRING) WITH (KAFKA_TOPIC = '${prefix}l', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM r (id INT KEY, b INT) WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE lt (id INT PRIMARY KEY, a INT, n STRING) WITH (KAFKA_TOPIC = '${prefix}l', VALUE_FORMAT = 'JSON');
CREATE TABLE rt (id INT PRIMARY KEY, b INT) WITH (KAFKA_TOPIC = '${prefix}r', VALUE_FORMAT = 'JSON');
INSERT INTO r (ROWTIME, id, b) VALUES (500, 1, 10);
INSERT INTO l (ROWTIME, id, a, n) VALUES (1000, 1, 1, 'x');
INSERT INTO l (ROWTIME, id, a, n) VALUES (2000, 2, 2, 'y');
INSERT INTO l (ROWTIME, id, a, n) VALUES (12000, 1, 3, 'x');
INSERT INTO r (ROWTIME, id, b) VALUES (12500, 1, 11);
CREATE TABLE of_streams AS SELECT n, COUNT(*) AS c, SUM(b) AS s FROM l JOIN r WITHIN 10 SECONDS ON l.id = r.id GROUP BY n;
SELECT * FROM of_streams;
CREATE TABLE of_lookup AS SELECT n, COUNT(*) AS c, SUM(b) AS s FROM l LEFT JOIN rt ON l.id = rt.id GROUP BY n;
SELECT * FROM of_lookup;
CREATE TABLE of_windows AS SELECT n, COUNT(*) AS c FROM l LEFT JOIN rt ON l.id = rt.id WINDOW TUMBLING (SIZE 10 SECONDS) GROUP BY n;
SELECT n, WINDOWSTART, c FROM of_windows;
CREATE TABLE of_tables AS SELECT n, COUNT(*) AS c, SUM(b) AS s FROM lt LEFT JOIN rt ON lt.id = rt.id GROUP BY n;
SELECT * FROM of_tables;
CREATE STREAM rows AS SELECT l.id, EXPLODE(ARRAY[a, b]) AS e FROM l LEFT JOIN rt ON l.id = rt.id;
SELECT * FROM rows;
CREATE STREAM e AS SELECT n, COUNT(*) AS c FROM l LEFT JOIN rt ON l.id = rt.id GROUP BY n;
