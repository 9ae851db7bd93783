-- replace: CSAS_S_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- ARRAY_CONCAT and MAP_UNION, which ksqlDB has too; slices from and to 0; IS_DECIMAL.
CREATE TABLE o (id INT, a ARRAY<INT>, m MAP<STRING, INT>) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO o VALUES (1, array(1, 2), map('x', 1, 'y', 2)), (2, NULL, NULL);
SELECT id, ARRAY_CONCAT(a, array(3), array(NULL, 4)) AS three, ARRAY_CONCAT(a) AS one, ARRAY_CONCAT(array(1), CAST(NULL AS ARRAY<INT>)) AS none, ARRAY_CONCAT(a, NULL) AS null_, ARRAY_CONCAT(array(1), array(2L)) AS wide FROM o ORDER BY id;
SELECT id, MAP_UNION(m, map('y', 9), map('z', 3)) AS three, MAP_UNION(m) AS one, MAP_UNION(map('x', 1), NULL) AS none, MAP_UNION(map('x', 1), map('y', 2L)) AS wide FROM o ORDER BY id;
SELECT ARRAY_CONCAT() FROM o;
SELECT ARRAY_CONCAT('a', 'b') FROM o;
SELECT MAP_UNION(m, map(1, 1)) FROM o;
-- ksqlDB's statements keep ksqlDB's.
CREATE STREAM s AS SELECT id, ARRAY_CONCAT(a, array(3)) AS c, MAP_UNION(m, NULL) AS u FROM o;
SELECT * FROM s ORDER BY id;
CREATE STREAM s3 AS SELECT id, ARRAY_CONCAT(a, a, a) AS c FROM o;
SELECT ARRAY_SLICE(a, 1, 0) AS a, ARRAY_SLICE(a, 0, 0) AS b, ARRAY_SLICE(a, 0, 1) AS c, ARRAY_SLICE(a, 2, 0) AS d, ARRAY_SLICE(a, 1, -9) AS e FROM o WHERE id = 1;
SELECT IS_DECIMAL('1.5') AS a, IS_DECIMAL('-1e5') AS b, IS_DECIMAL('NaN') AS c, IS_DECIMAL('x') AS d, IS_DECIMAL('') AS e, IS_DECIMAL(repeat('7', 2000000)) AS f, IS_DECIMAL(NULL) AS g FROM o WHERE id = 1;
