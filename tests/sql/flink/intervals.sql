-- INTERVALs in json, csv and events, as Flink has them: numbers of months, or of milliseconds.
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: INSERTQUERY_\d+ => ${insert}
-- topic: ${prefix}j partitions=1
-- record: ${prefix}j {"y":14,"d":90061004,"a":[1,null],"m":{"x":-1}}
-- record: ${prefix}j {"y":"-1","d":null,"r":{"d":"5"}}
-- topic: ${prefix}bad partitions=1
-- record: ${prefix}bad {"y":99999999999,"d":99999999999999999}
CREATE TABLE j (y INTERVAL YEAR(4) TO MONTH, d INTERVAL DAY(3) TO SECOND(3), a ARRAY<INTERVAL MONTH>, m MAP<STRING, INTERVAL HOUR TO SECOND>, r ROW<d INTERVAL DAY>) WITH ('connector' = 'kafka', 'topic' = '${prefix}j', 'format' = 'json');
SELECT CAST(y AS STRING) AS y, CAST(d AS STRING) AS d, CAST(a AS STRING) AS a, CAST(m AS STRING) AS m, CAST(r AS STRING) AS r FROM j;
SELECT EXTRACT(YEAR FROM y) AS years, EXTRACT(MINUTE FROM d) AS minutes, DATE '2024-01-31' + y AS later FROM j;
SHOW CREATE TABLE j AS FLINK;
DESCRIBE j;
INSERT INTO j SELECT y * 2, d + INTERVAL '1' DAY, a, m, r FROM j;
INSERT INTO j (y, d) VALUES (INTERVAL '1-2' YEAR TO MONTH, INTERVAL '1 02:03:04.567' DAY TO SECOND);
CREATE STREAM lines (line STRING) WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'KAFKA');
SELECT line FROM lines;
CREATE TABLE c (y INTERVAL YEAR TO MONTH, d INTERVAL DAY TO SECOND, a ARRAY<INTERVAL SECOND(3)>) WITH ('connector' = 'kafka', 'topic' = '${prefix}c', 'PARTITIONS' = '1', 'format' = 'csv');
INSERT INTO c VALUES (INTERVAL '0-3' YEAR TO MONTH, INTERVAL '0 00:00:10' DAY TO SECOND, ARRAY(INTERVAL '1.5' SECOND, NULL)), (NULL, INTERVAL '-1 00:00:00' DAY TO SECOND, NULL);
SELECT CAST(y AS STRING) AS y, CAST(d AS STRING) AS d, CAST(a AS STRING) AS a FROM c;
CREATE STREAM csv_lines (line STRING) WITH (KAFKA_TOPIC = '${prefix}c', VALUE_FORMAT = 'KAFKA');
SELECT line FROM csv_lines;
CREATE TABLE e (id INT, d INTERVAL DAY TO SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}e', 'PARTITIONS' = '1', 'format' = 'debezium-json');
INSERT INTO e VALUES (1, INTERVAL '0 01:00:00' DAY TO SECOND);
INSERT INTO e VALUES (1, INTERVAL '1' HOUR);
SELECT id, CAST(d AS STRING) AS d FROM e;
CREATE TABLE u (id INT, d INTERVAL DAY TO SECOND, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}u', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO u SELECT 1, d FROM j WHERE d > INTERVAL '2' DAY EMIT CHANGES;
SELECT id, CAST(d AS STRING) AS d FROM u;
-- Numbers that do not fit, formats and sides that have none.
CREATE TABLE bad (y INTERVAL YEAR TO MONTH, d INTERVAL DAY TO SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}bad', 'format' = 'json');
SELECT y IS NULL FROM bad;
SELECT d IS NULL FROM bad;
SELECT y IS NULL, d IS NULL FROM bad WITH ('json.ignore-parse-errors' = 'true');
CREATE TABLE a (y INTERVAL YEAR TO MONTH) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'PARTITIONS' = '1', 'format' = 'avro');
-- In keys, and in the months or seconds of another unit.
CREATE TABLE keyed (k INTERVAL DAY TO SECOND(3), m INTERVAL YEAR TO MONTH, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}keyed', 'PARTITIONS' = '1', 'key.format' = 'json', 'key.fields' = 'k;m', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY');
INSERT INTO keyed VALUES (INTERVAL '1 02:03:04.5' DAY TO SECOND, INTERVAL '1-2' YEAR TO MONTH, 1), (INTERVAL '5' MINUTE, INTERVAL '14' MONTH, 2);
CREATE TABLE raw_keyed (k STRING, v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}keyed', 'key.format' = 'raw', 'key.fields' = 'k', 'value.format' = 'raw', 'value.fields-include' = 'EXCEPT_KEY');
SELECT * FROM raw_keyed;
SELECT CAST(k AS STRING) AS k, CAST(m AS STRING) AS m, v FROM keyed;
CREATE TABLE by_interval (k INTERVAL DAY TO SECOND(3), v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}by_interval', 'PARTITIONS' = '1', 'key.format' = 'csv', 'value.format' = 'json');
INSERT INTO by_interval VALUES (INTERVAL '5' MINUTE, 1), (INTERVAL '5' MINUTE, 2), (INTERVAL '6' MINUTE, 3);
SELECT CAST(k AS STRING) AS k, v FROM by_interval;
CREATE TABLE x (k INTERVAL YEAR TO MONTH, v INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}keyed', 'format' = 'avro');
