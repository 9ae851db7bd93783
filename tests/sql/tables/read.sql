-- A table's topic holds changes: a bounded read sees the last per key, an unbounded one each of them.
-- topic: ${prefix}cities partitions=2
-- record: ${prefix}cities key="1" {"NAME":"Oslo","POP":1}
-- record: ${prefix}cities key="2" {"NAME":"Rome","POP":2}
-- record: ${prefix}cities key="1" {"NAME":"Oslo","POP":3}
-- record: ${prefix}cities key="2" null
-- record: ${prefix}cities key="3" {"NAME":null,"POP":null}
-- record: ${prefix}cities {"NAME":"Nowhere","POP":4}
CREATE TABLE cities (id STRING PRIMARY KEY, name STRING, pop INT) WITH (KAFKA_TOPIC = '${prefix}cities', VALUE_FORMAT = 'JSON', KEY_FORMAT = 'JSON');
SELECT * FROM cities;
SELECT name, id FROM cities WHERE pop > 1;
SELECT id FROM cities WHERE id = '2';
SELECT count(*) FROM cities WHERE pop = 1;
SELECT ROWKEY, ROWVALUE.pop, ROWTIME > 0 AS timed, ROWPARTITION >= 0 AS placed, ROWOFFSET > 0 AS later, _tombstone FROM cities WHERE id = '1';
SELECT a.id, b.name FROM cities a JOIN cities b ON a.id = b.id;
CREATE STREAM cities_changes (id STRING KEY, name STRING, pop INT) WITH (KAFKA_TOPIC = '${prefix}cities', VALUE_FORMAT = 'JSON', KEY_FORMAT = 'JSON');
SELECT * FROM cities_changes;
CREATE TABLE pairs (a INT PRIMARY KEY, b INT PRIMARY KEY, "v" INT, "V" STRING) WITH (KAFKA_TOPIC = '${prefix}pairs', VALUE_FORMAT = 'JSON', KEY_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO pairs VALUES (1, 1, 10, 'a'), (1, 2, 20, 'b'), (1, 1, 11, 'c'), (NULL, 2, 30, 'd');
-- A key of which nothing is there is none.
INSERT INTO pairs VALUES (NULL, NULL, 40, 'e');
SELECT * FROM pairs;
SELECT "V", a FROM pairs WHERE "v" > 10;
INSERT INTO pairs (a, b, _tombstone) VALUES (1, 1, true);
INSERT INTO pairs (a, b, "v", _tombstone) SELECT 1, 2, 21, false;
SELECT * FROM pairs;
CREATE TABLE wrong (id STRING PRIMARY KEY, _tombstone STRING) WITH (KAFKA_TOPIC = '${prefix}cities', VALUE_FORMAT = 'JSON', KEY_FORMAT = 'JSON');
