-- TIME within the rows of events: texts, as databases' connectors write times of a day; the unit of a number is not known.
-- spark: 4.1 4.2
-- conf: spark.sql.timeType.enabled=true
-- topic: ${prefix}d partitions=1
-- record: ${prefix}d {"before":null,"after":{"id":1,"t":"03:04:05.123","a":["10:00:00"]},"op":"c"}
-- record: ${prefix}d {"before":{"id":1,"t":"03:04:05.123"},"after":{"id":1,"t":"23:59:59"},"op":"u"}
CREATE TABLE d (id INT, t TIME(3), a ARRAY<TIME>) WITH ('connector' = 'kafka', 'topic' = '${prefix}d', 'format' = 'debezium-json');
INSERT INTO d VALUES (2, TIME '00:00:01', NULL), (3, NULL, NULL);
SELECT _op, * FROM d;
CREATE TABLE n (id INT, t TIME) WITH ('connector' = 'kafka', 'topic' = '${prefix}n', 'format' = 'debezium-json', 'PARTITIONS' = '1');
CREATE TABLE raw_n (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}n', 'format' = 'raw');
INSERT INTO raw_n VALUES ('{"after":{"id":1,"t":5000000},"op":"c"}');
SELECT * FROM n;
CREATE TABLE c (id INT, t TIME) WITH ('connector' = 'kafka', 'topic' = '${prefix}c', 'format' = 'canal-json', 'PARTITIONS' = '1');
INSERT INTO c VALUES (1, TIME '01:02:03'), (2, NULL);
SELECT * FROM c;
CREATE TABLE m (id INT, t TIME) WITH ('connector' = 'kafka', 'topic' = '${prefix}m', 'format' = 'maxwell-json', 'PARTITIONS' = '1');
INSERT INTO m VALUES (1, TIME '01:02:03');
SELECT * FROM m;
CREATE TABLE o (id INT, t TIME) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'ogg-json', 'PARTITIONS' = '1');
INSERT INTO o VALUES (1, TIME '01:02:03');
SELECT * FROM o;
CREATE TABLE a (id INT, t TIME) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'debezium-avro-confluent', 'PARTITIONS' = '1');
INSERT INTO a VALUES (1, TIME '01:02:03'), (2, NULL);
SELECT * FROM a;
