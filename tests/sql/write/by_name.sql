-- Writes by name match the fields of STRUCTs by their names, too, at any depth; writes by position match them by place.
-- replace: INSERTQUERY_\d+ => ${insert}
-- replace: /\S*/checkpoints => ${checkpoints}
CREATE STREAM n (id INT, p STRUCT<x INT, y INT>, a ARRAY<STRUCT<x INT, y INT>>, m MAP<STRING, STRUCT<x INT, y INT>>)
  WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO n BY NAME SELECT 1 AS id, named_struct('y', 1, 'x', 2) AS p, array(named_struct('y', 1, 'x', 2), NULL) AS a,
  map('k', named_struct('y', 1, 'x', 2)) AS m;
INSERT INTO n SELECT 2 AS id, named_struct('y', 1, 'x', 2) AS p, array(named_struct('y', 1, 'x', 2)) AS a,
  map('k', named_struct('y', 1, 'x', 2)) AS m;
INSERT INTO n VALUES (3, struct(1, 2), array(struct(1, 2)), map('k', struct(1, 2)));
INSERT INTO n BY NAME SELECT 4 AS id, named_struct('Y', 1, 'X', 2L) AS p;
INSERT INTO n BY NAME SELECT 5 AS id, CAST(NULL AS STRUCT<y INT, x INT>) AS p;
-- Spark gives the fields of a listed column's STRUCT the column's names, and leaves those within ARRAYs as they are.
INSERT INTO n (id, p) VALUES (6, struct(1, 2));
INSERT INTO n (id, p) SELECT 7, named_struct('y', 1, 'x', 2);
INSERT INTO n (a, id) SELECT array(named_struct('y', 1, 'x', 2)), 8;
SELECT * FROM n ORDER BY id;
INSERT INTO n BY NAME SELECT 9 AS id, named_struct('x', 2) AS p;
INSERT INTO n BY NAME SELECT 9 AS id, named_struct('x', 2, 'y', 1, 'z', 3) AS p;
INSERT INTO n BY NAME SELECT 9 AS id, array(named_struct('x', 2, 'q', 1)) AS a;
INSERT INTO n BY NAME SELECT 9 AS id, map('k', named_struct('x', 2, 'X', 1)) AS m;
INSERT INTO n BY NAME SELECT 9 AS id, named_struct('x', array(1), 'y', 1) AS p;
-- Fields that differ in case only have other names in Spark.
CREATE STREAM c (id INT, s STRUCT<b STRING, B STRING, d ARRAY<STRUCT<e INT, f DOUBLE>>>)
  WITH (KAFKA_TOPIC = '${prefix}c', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO c (id, s) VALUES (1, named_struct('one', 'b', 'two', 'B', 'three', array(named_struct('e', 1, 'f', 0.5))));
INSERT INTO c BY NAME SELECT s, id + 1 AS id FROM c;
INSERT INTO c BY NAME SELECT 3 AS id, named_struct('d', array(named_struct('f', 1, 'e', 2)), 'B', 'B', 'b', 'b') AS s;
SELECT * FROM c ORDER BY id;
INSERT INTO c BY NAME SELECT 4 AS id, named_struct('B', 'B', 'd', NULL) AS s;
-- A continuous query into what Flink's DDL declares matches columns and their fields by their places.
CREATE TABLE placed (id INT, p ROW<u BIGINT, w INT>, l ARRAY<ROW<u BIGINT, w INT>>)
  WITH ('connector' = 'kafka', 'topic' = '${prefix}placed', 'PARTITIONS' = '1', 'format' = 'json');
INSERT INTO placed SELECT id, p, a FROM n EMIT CHANGES;
SELECT * FROM placed ORDER BY id;
