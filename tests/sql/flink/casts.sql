-- Types in casts, and rows of ARRAYs and MAPs without columns, as Flink writes them.
CREATE TABLE t (id INT, name STRING, b BYTES, l ARRAY<INT>) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'PARTITIONS' = '1', 'format' = 'json');
INSERT INTO t VALUES (1, 'abc', x'61', array(1, NULL)), (2, NULL, NULL, NULL);
SELECT CAST(name AS BYTES) AS a, CAST('ab' AS VARBINARY(3)) AS b, CAST('ab' AS BINARY(2)) AS c, TRY_CAST(name AS BYTES) AS d FROM t;
SELECT CAST(id AS DOUBLE PRECISION) AS a, CAST(name AS CHARACTER VARYING(9)) AS b, CAST(id AS VARCHAR) AS c, CAST(CAST(name AS BYTES) AS VARCHAR) AS d FROM t;
SELECT CAST(NULL AS ROW<a VARCHAR, bytes BYTES>) AS a, CAST(array(name) AS ARRAY<BYTES>) AS b FROM t;
CREATE TABLE declared (a VARCHAR, r ROW<`varchar` VARCHAR, bytes BYTES>, id INT, c AS CAST(CAST(id AS VARCHAR) AS BYTES)) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
DESCRIBE declared;
SELECT id, x FROM t CROSS JOIN UNNEST(ARRAY[1, 2]) AS u(x);
SELECT id, x, y FROM t CROSS JOIN UNNEST(MAP['k', 1]) AS u(x, y);
SELECT id, x, n FROM t LEFT JOIN UNNEST(l) WITH ORDINALITY AS u(x, n) ON TRUE;
SELECT id FROM t WHERE id BETWEEN ASYMMETRIC 1 AND 2;
SELECT id FROM t WHERE id BETWEEN ASYMMETRIC 2 AND 1;
