-- ignore-parse-errors of events: a bad field is NULL, an event that is none is skipped; and what is skipped whatever columns are asked for.
-- topic: ${prefix}d partitions=1
-- topic: ${prefix}c partitions=1
-- topic: ${prefix}j partitions=1
-- record: ${prefix}d {"before":null,"after":{"id":1,"n":"a","d":"x"},"op":"c"}
-- record: ${prefix}d {"before":null,"after":{"id":"zz","n":"b","d":1},"op":"c"}
-- record: ${prefix}d {"before":null,"after":{"id":3,"n":"c","d":2},"op":"q"}
-- record: ${prefix}d not json
-- record: ${prefix}d {"before":null,"after":{"id":4,"n":"c","d":2},"op":"c"}
-- record: ${prefix}d {"before":null,"after":"x","op":"c"}
-- record: ${prefix}d {"before":null,"after":{"id":5},"op":"c"}
-- record: ${prefix}d {"before":null,"after":{"id":6},"op":"u"}
-- record: ${prefix}d {"x":1}
-- record: ${prefix}c {"data":[{"id":1,"n":"a","d":"x"}],"type":"INSERT","database":"d1","table":"t"}
-- record: ${prefix}c {"data":[{"id":"zz","n":"b","d":1}],"type":"INSERT","database":"d2","table":"t"}
-- record: ${prefix}c {"data":[{"id":3,"n":"b","d":1}],"type":"INSERT","database":"xd","table":"t"}
-- record: ${prefix}c {"data":[{"id":4,"n":"b","d":1}],"type":"INSERT","table":"t"}
-- record: ${prefix}c {"data":[{"id":5,"n":"b","d":1}],"type":"INSERT","database":"d1","table":"tt"}
-- record: ${prefix}j {"A":1,"B":"x","C":3}
-- record: ${prefix}j {"A":2,"B":"y","C":"no"}
-- record: ${prefix}j {"A":3,"B":"z","C":5}
CREATE TABLE d (id INT, n STRING, d INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'format' = 'debezium-json', 'debezium-json.ignore-parse-errors' = 'true');
SELECT * FROM d;
SELECT n FROM d;
SELECT count(*) FROM d;
SHOW CREATE TABLE d AS FLINK;
CREATE TABLE c (id INT, n STRING, d INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}c', 'format' = 'canal-json', 'canal-json.ignore-parse-errors' = 'true', 'canal-json.database.include' = 'd.', 'canal-json.table.include' = 't');
SELECT * FROM c;
SHOW CREATE TABLE c AS FLINK;
CREATE TABLE x (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}c', 'format' = 'canal-json', 'canal-json.table.include' = '(');
CREATE TABLE x (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}c', 'format' = 'debezium-json', 'debezium-json.table.include' = 't');
-- In ksqlDB's words a bad field may leave its record out.
CREATE STREAM j (a INT, b STRING, c INT) WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON', VALUE_SKIP_BAD = true);
SELECT * FROM j;
SELECT a FROM j;
SELECT b FROM j WHERE a > 1;
SELECT count(*) FROM j;
CREATE STREAM e (id INT, n STRING, d INT) WITH (KAFKA_TOPIC = '${prefix}d', VALUE_FORMAT = 'DEBEZIUM_JSON', VALUE_SKIP_BAD = true);
SELECT n FROM e;
SHOW CREATE STREAM e AS FLINK;
