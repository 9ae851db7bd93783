-- DELETE writes tombstones; the table's row of the key is gone.
CREATE TABLE users (id INT PRIMARY KEY, region STRING PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC = '${prefix}users', FORMAT = 'JSON', PARTITIONS = 2);
INSERT INTO users VALUES (1, 'eu', 'Ann'), (2, 'eu', 'Bob'), (3, 'us', 'Cleo'), (4, 'us', 'Dan'), (5, 'eu', 'Eve');
DELETE FROM users WHERE id = 1 AND region = 'eu';
DELETE FROM users AS u WHERE 'us' = u.region AND (u.ID = 3);
SELECT * FROM users;
DELETE FROM users WHERE id IN (2, 5) AND region IN ('eu', 'us');
SELECT * FROM users;
SELECT id, region, _tombstone FROM users EMIT CHANGES;
DELETE FROM users WHERE id = 4;
DELETE FROM users WHERE id = 4 AND region = 'us' AND name = 'Dan';
DELETE FROM users WHERE id = 4 AND region = 'us' AND id = 5;
DELETE FROM users WHERE id > 4 AND region = 'us';
DELETE FROM users WHERE id = 4 OR region = 'us';
DELETE FROM users WHERE id = NULL AND region = 'us';
DELETE FROM users WHERE id = id AND region = 'us';
DELETE FROM users WHERE id = 'four' AND region = 'us';
DELETE FROM users;
DELETE FROM users WHERE id = 4 AND region IN (SELECT 'us');
SELECT * FROM users;
-- A stream has tombstones too, and odd names.
CREATE STREAM facts ("Order Id" BIGINT KEY, "order id" STRING) WITH (KAFKA_TOPIC = '${prefix}facts', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO facts ("Order Id", "order id") VALUES (7, 'seven');
DELETE FROM facts WHERE "Order Id" = 7;
DELETE FROM facts WHERE "order id" = 7;
SELECT * FROM facts;
DROP STREAM facts;
-- Flink's dialect.
CREATE TABLE upserts (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}facts', 'key.format' = 'raw', 'value.format' = 'json', 'value.null-row' = 'tombstone');
INSERT INTO upserts VALUES ('a', 1), ('b', 2), ('c', 3);
DELETE FROM upserts WHERE k = 'a';
INSERT INTO upserts (k) VALUES ('b');
SELECT k, v FROM upserts;
-- No key that could be deleted.
CREATE STREAM keyless (v INT) WITH (KAFKA_TOPIC = '${prefix}facts', VALUE_FORMAT = 'JSON');
DELETE FROM keyless WHERE v = 1;
CREATE STREAM windowed (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}facts', VALUE_FORMAT = 'JSON', WINDOW_TYPE = 'SESSION');
DELETE FROM windowed WHERE k = 'a';
CREATE SOURCE TABLE only_read (k STRING PRIMARY KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}facts', VALUE_FORMAT = 'JSON');
DELETE FROM only_read WHERE k = 'a';
