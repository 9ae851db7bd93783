-- ignore-parse-errors is of one side: a bad field of it is NULL, a bad record is skipped, and the other side still fails.
CREATE TABLE bytes_ (k STRING, v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'key.format' = 'raw', 'key.fields' = 'k', 'value.format' = 'raw', 'value.fields-include' = 'EXCEPT_KEY', 'PARTITIONS' = '1');
INSERT INTO bytes_ VALUES ('{"k":1}', '{"v":1}'), ('{"k":"x"}', '{"v":2}');
CREATE TABLE none (k INT, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'key.fields' = 'k', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY');
CREATE TABLE of_key WITH ('key.json.ignore-parse-errors' = 'true') LIKE none;
CREATE TABLE of_value WITH ('value.json.ignore-parse-errors' = 'true') LIKE none;
CREATE TABLE of_both WITH ('key.json.ignore-parse-errors' = 'true', 'value.json.ignore-parse-errors' = 'true') LIKE none;
SELECT * FROM none;
SELECT * FROM of_key;
SELECT * FROM of_value;
INSERT INTO bytes_ VALUES ('no key', '{"v":3}'), ('{"k":4}', '{"v":4}');
SELECT * FROM of_key;
SELECT * FROM of_value;
INSERT INTO bytes_ VALUES ('{"k":5}', '{"v":"x"}'), ('{"k":6}', 'no value'), ('{"k":7}', '{"v":7}');
SELECT * FROM of_key;
SELECT * FROM of_both;
-- What is skipped does not depend on the columns asked for.
SELECT k FROM of_both;
SELECT v FROM of_both;
SELECT count(*) FROM of_both;
SHOW CREATE TABLE of_value AS FLINK;
ALTER TABLE of_key SET TBLPROPERTIES ('on_error' = 'null');
SELECT * FROM of_key;
SELECT * FROM none /*+ OPTIONS('key.json.ignore-parse-errors' = 'true', 'value.json.ignore-parse-errors' = 'true') */;
-- The latest record of a key that is not bad.
CREATE TABLE u (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'key.json.ignore-parse-errors' = 'true', 'value.format' = 'json', 'value.json.ignore-parse-errors' = 'true', 'value.fields-include' = 'EXCEPT_KEY');
INSERT INTO bytes_ VALUES ('{"k":7}', 'no value');
SELECT * FROM u WHERE k > 6;
-- An element, a value of a MAP or a field of a ROW that is bad is NULL by itself.
CREATE TABLE parts_ (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}p', 'format' = 'raw', 'PARTITIONS' = '1');
INSERT INTO parts_ VALUES ('{"a":[1,"x",{"y":[2]},3],"m":{"k":"z","q":1},"r":{"y":"bad","z":[1,"w"]}}'), ('{"a":3,"m":[],"r":null}'), ('{"a":[1,');
CREATE TABLE parts (a ARRAY<INT>, m MAP<STRING, INT>, r ROW<y INT, z ARRAY<INT>>) WITH ('connector' = 'kafka', 'topic' = '${prefix}p', 'format' = 'json', 'json.ignore-parse-errors' = 'true');
SELECT * FROM parts;
