-- Values of other forms in json and csv, as Flink converts them: BOOLEANs of texts and numbers, and DECIMALs.
-- topic: ${prefix}j
-- record: ${prefix}j {"b":"TRUE","n":1.235,"a":[1.05,"2.44",12345],"r":{"b":1,"n":"0.004"}}
-- record: ${prefix}j {"b":" true ","n":"-1.235","a":[],"r":{"b":"no","n":999.995}}
-- record: ${prefix}j {"b":"yes","n":999.994,"m":{"a":0.05,"b":1e999999999},"r":null}
-- record: ${prefix}j {"b":1,"n":12345.6}
-- record: ${prefix}j {"b":true,"n":1e-999999999}
-- record: ${prefix}j {"b":null,"n":0.005}
-- topic: ${prefix}bad
-- record: ${prefix}bad {"b":{"x":1},"n":true,"a":[null,"x"]}
-- topic: ${prefix}c
-- record: ${prefix}c 1.235,yes,1.05;12345
-- record: ${prefix}c 12345.6,TRUE,
-- topic: ${prefix}e
-- record: ${prefix}e {"before":null,"after":{"b":1,"n":1.235},"op":"c"}
-- record: ${prefix}e {"before":null,"after":{"b":"no","n":"12345"},"op":"c"}
CREATE TABLE j (b BOOLEAN, n DECIMAL(5, 2), a ARRAY<DECIMAL(3, 1)>, m MAP<STRING, DECIMAL(3, 1)>, r ROW<b BOOLEAN, n DECIMAL(5, 2)>) WITH ('connector' = 'kafka', 'topic' = '${prefix}j', 'format' = 'json');
SELECT * FROM j ORDER BY b, n;
SELECT n, b FROM j ORDER BY n, b;
CREATE TABLE bad (b BOOLEAN, n DECIMAL(5, 2), a ARRAY<DECIMAL(3, 1)>) WITH ('connector' = 'kafka', 'topic' = '${prefix}bad', 'format' = 'json');
SELECT b FROM bad;
SELECT n FROM bad;
SELECT * FROM bad WITH ('json.ignore-parse-errors' = 'true');
CREATE TABLE c (n DECIMAL(5, 2), b BOOLEAN, a ARRAY<DECIMAL(3, 1)>) WITH ('connector' = 'kafka', 'topic' = '${prefix}c', 'format' = 'csv');
SELECT * FROM c ORDER BY n;
CREATE TABLE e (b BOOLEAN, n DECIMAL(5, 2)) WITH ('connector' = 'kafka', 'topic' = '${prefix}e', 'format' = 'debezium-json');
SELECT b, n FROM e ORDER BY b;
-- Of other statements, only those that ask for it.
CREATE STREAM strict (b BOOLEAN, n DECIMAL(5, 2)) WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON');
SELECT b FROM strict;
CREATE STREAM loose (b BOOLEAN, n DECIMAL(5, 2)) WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON', VALUE_COERCE = true);
SELECT * FROM loose ORDER BY b, n;
CREATE TABLE exact (n DECIMAL(5, 2)) WITH ('connector' = 'kafka', 'topic' = '${prefix}j', 'format' = 'json', 'value_coerce' = 'false');
SELECT n FROM exact;
SHOW CREATE TABLE exact AS FLINK;
CREATE STREAM a (b BOOLEAN) WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'AVRO_NOSR', VALUE_COERCE = true);
