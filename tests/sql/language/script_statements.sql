-- Statements of Spark's scripts have the meaning that they have alone, and scripts keep their handlers.
-- conf: spark.sql.scripting.enabled=true
CREATE STREAM moves (id INT KEY, qty INT, parts ARRAY<INT>) WITH (KAFKA_TOPIC = '${prefix}moves', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE users (k INT PRIMARY KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}users', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO moves VALUES (1, 10, array(1, 2)), (2, 20, array(3));
INSERT INTO users VALUES (1, 'a'), (2, 'b');
BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SELECT 'handled' AS what; END; SELECT x, 1 / (id - id) FROM moves CROSS JOIN UNNEST(parts) AS u(x); END;
BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SELECT x AS handled FROM moves CROSS JOIN UNNEST(moves.parts) AS u(x); END; SELECT 1 / (id - id) FROM moves; END;
BEGIN DECLARE g INT DEFAULT 2; DELETE FROM users WHERE k = g; SELECT * FROM users; END;
BEGIN ALTER TABLE moves ADD COLUMNS (note STRING); SELECT * FROM moves; END;
BEGIN IF (SELECT count(*) FROM moves) = 2 THEN CREATE TABLE kafka.${prefix}f USING parquet AS SELECT 1 AS id; END IF; END;
BEGIN CREATE TABLE likes LIKE moves; INSERT INTO likes (id, qty) VALUES (3, 30); SELECT id, qty FROM moves WHERE id > 2; END;
BEGIN FOR row AS SELECT id FROM moves DO INSERT INTO users VALUES (row.id + 10, 'of a row'); END FOR; SELECT * FROM users; END;
DROP TABLE likes;
DROP STREAM moves;
DROP TABLE users;
