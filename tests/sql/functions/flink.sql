-- Flink's functions that Spark lacks.
CREATE TABLE o (id INT, s STRING, j STRING, d DOUBLE, p DECIMAL(10, 3)) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO o VALUES (1, 'a,b,,c', '{"a":1,"b":{"c d":"x"},"l":[1,{"e":2}],"t":true,"n":null}', 1.259, -1.259), (2, '', 'no json', NULL, NULL), (3, NULL, NULL, NULL, NULL);
SELECT id, JSON_VALUE(j, '$.a') AS a, JSON_VALUE(j, '$.b') AS part, JSON_VALUE(j, '$.b["c d"]') AS name, JSON_VALUE(j, '$.l[1].e') AS nested, JSON_VALUE(j, '$.n') AS null_, JSON_VALUE(j, '$.l[*].e') AS many FROM o;
SELECT id, JSON_VALUE(j, '$.a' RETURNING INT) + 1 AS i, JSON_VALUE(j, '$.t' RETURNING BOOLEAN) AS b, JSON_VALUE(j, 'lax $.x' RETURNING DOUBLE DEFAULT 0.5 ON EMPTY) AS d FROM o;
SELECT id, JSON_VALUE(j, 'lax $.x' DEFAULT 'none' ON EMPTY DEFAULT 'bad' ON ERROR) AS lax, JSON_VALUE(j, 'strict $.x' DEFAULT 'none' ON EMPTY DEFAULT 'bad' ON ERROR) AS strict, JSON_VALUE(j, '$.x' DEFAULT concat('n', id) ON ERROR) AS unsaid FROM o;
SELECT id, JSON_VALUE(j, 'lax $.x' ERROR ON EMPTY) FROM o WHERE id = 1;
SELECT id, JSON_VALUE(j, '$.a' ERROR ON ERROR) FROM o WHERE id = 2;
SELECT JSON_VALUE(j, '$.a[?(@.b)]') FROM o;
SELECT JSON_VALUE(j, s) FROM o;
SELECT id, JSON_QUERY(j, '$.b') AS b, JSON_QUERY(j, '$.a') AS scalar, JSON_QUERY(j, '$.a' WITH WRAPPER) AS one, JSON_QUERY(j, '$.l' WITH CONDITIONAL ARRAY WRAPPER) AS kept, JSON_QUERY(j, 'lax $.x' EMPTY ARRAY ON EMPTY) AS none, JSON_QUERY(j, '$.x' EMPTY OBJECT ON ERROR) AS bad FROM o;
SELECT id, JSON_EXISTS(j, '$.b') AS there, JSON_EXISTS(j, 'lax $.x') AS lax, JSON_EXISTS(j, 'strict $.x' TRUE ON ERROR) AS strict, JSON_EXISTS(j, '$.a' UNKNOWN ON ERROR) AS unknown FROM o;
SELECT JSON_OBJECT('id' VALUE id, KEY 's' VALUE s, 'd' : d) AS o, JSON_OBJECT('id' VALUE id, 's' VALUE s ABSENT ON NULL) AS absent, JSON_ARRAY(id, s, JSON_OBJECT('p' VALUE p)) AS a, JSON_ARRAY(id, s NULL ON NULL) AS nulls FROM o;
SELECT id, JSON_STRING(s) AS s, JSON_STRING(array(id, NULL)) AS a, JSON_QUOTE(s) AS q, JSON_UNQUOTE(JSON_QUOTE(s)) AS u FROM o;
SELECT id, SPLIT_INDEX(s, ',', 1) AS b, SPLIT_INDEX(s, ',', 2) AS empty, SPLIT_INDEX(s, ',', 4) AS beyond, SPLIT_INDEX(s, 44, 3) AS code, SPLIT_INDEX(s, ',', -1) AS before FROM o;
SELECT id, TRUNCATE(d, 2) AS d, TRUNCATE(p, 1) AS p, TRUNCATE(1234, -2) AS i, TRUNCATE(d) AS whole FROM o;
SELECT id, SHA256(s) AS sha, TO_BASE64(s) AS to64, FROM_BASE64(TO_BASE64(s)) AS back, IS_ALPHA(s) AS alpha, IS_DIGIT('12') AS digit, IS_DECIMAL('1.5') AS dec, WEEK(DATE '2024-01-09') AS week FROM o;
SELECT TRUNCATE(s) FROM o;
-- In computed columns.
CREATE TABLE c (j STRING, a AS JSON_VALUE(j, '$.a' RETURNING INT), first AS SPLIT_INDEX(j, ':', 0)) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'json');
SELECT * FROM c;
SHOW CREATE TABLE c AS FLINK;
