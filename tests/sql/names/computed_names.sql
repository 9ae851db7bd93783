-- A statement over IDENTIFIER(…) does what it does over the name.
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (C[ST]AS_[A-Z_]+)_\d+ => ${query}
CREATE STREAM moves (id INT KEY, qty INT) WITH (KAFKA_TOPIC = '${prefix}moves', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE users (k INT PRIMARY KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}users', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO moves VALUES (1, 10), (2, 20);
DECLARE OR REPLACE VARIABLE named STRING DEFAULT 'moves';
DECLARE OR REPLACE VARIABLE keyed STRING DEFAULT 'users';
DECLARE OR REPLACE VARIABLE gone INT DEFAULT 2;
INSERT INTO IDENTIFIER(keyed) VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT INTO IDENTIFIER('golden.' || keyed) SELECT id + 3, 'moved' FROM IDENTIFIER(named);
DELETE FROM IDENTIFIER(keyed) WHERE k = 1;
DELETE FROM IDENTIFIER('golden.' || keyed) AS u WHERE u.k = 3;
SELECT * FROM users;
-- A variable among the keys.
DELETE FROM users WHERE k = gone;
DELETE FROM users WHERE gone + 2 = k;
DELETE FROM users WHERE k = v;
DELETE FROM users WHERE k = nobody;
SELECT * FROM users;
SHOW COLUMNS IN IDENTIFIER(named);
ALTER TABLE IDENTIFIER(named) RENAME TO moves_of_2;
SELECT * FROM moves_of_2;
SET VAR named = 'moves_of_2';
CREATE STREAM copies WITH (KAFKA_TOPIC = '${prefix}copies') AS SELECT * FROM moves_of_2 EMIT CHANGES;
DROP TABLE IDENTIFIER(named);
DROP STREAM copies;
DROP TABLE IF EXISTS IDENTIFIER(named || '_not');
SHOW STREAMS;
DROP TABLE users;
DROP TEMPORARY VARIABLE named;
DROP TEMPORARY VARIABLE keyed;
DROP TEMPORARY VARIABLE gone;
