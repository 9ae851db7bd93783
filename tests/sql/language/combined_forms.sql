-- Forms that meet: views without end, changes in continuous results, texts beside times, joins on MAPs, quoted texts in ksqlDB's dialect.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- topic: ${prefix}o partitions=1
-- record: ${prefix}o key=1 {"id":1,"at":"10:00:00","m":{"a":1}}
-- record: ${prefix}o key=2 {"id":2,"at":"11:00:00","m":{"b":2}}
-- topic: ${prefix}c partitions=1
-- record: ${prefix}c key={"id":1} {"before":null,"after":{"id":1,"v":"a"},"op":"c"}
-- record: ${prefix}c key={"id":2} {"before":null,"after":{"id":2,"v":"b"},"op":"c"}
-- record: ${prefix}c key={"id":1} {"before":{"id":1,"v":"a"},"after":null,"op":"d"}
-- replace: (C[ST]AS_[A-Z_]+|INSERTQUERY)_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
CREATE STREAM o (k STRING KEY, id INT, at STRING, m MAP<STRING, INT>) WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'JSON');
CREATE VIEW seen AS SELECT k, id + 10 AS n FROM o;
CREATE STREAM sink (k STRING KEY, n INT) WITH (KAFKA_TOPIC = '${prefix}sink', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO sink SELECT * FROM seen EMIT CHANGES;
SELECT * FROM sink ORDER BY n;
SELECT * FROM STREAM seen EMIT CHANGES LIMIT 2;
CREATE STREAM changes (id INT KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}c', KEY_FORMAT = 'JSON', KEY_FORMAT_TYPE = 'STRUCTURED', VALUE_FORMAT = 'DEBEZIUM_JSON');
CREATE TABLE state AS SELECT * FROM changes;
CREATE TABLE state (id INT PRIMARY KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}c', KEY_FORMAT = 'JSON', KEY_FORMAT_TYPE = 'STRUCTURED', VALUE_FORMAT = 'DEBEZIUM_JSON');
CREATE TABLE counted AS SELECT v, count(*) AS n FROM state GROUP BY v;
SELECT * FROM counted;
SELECT k FROM o WHERE at IN ('10:00:00', '12:00:00');
SELECT GREATEST(at, '10:30:00') AS later FROM o ORDER BY 1;
CREATE STREAM other (k STRING KEY, id INT, m MAP<STRING, INT>) WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'JSON');
CREATE STREAM joined AS SELECT a.m AS m, a.id AS x FROM o a JOIN other b WITHIN 1 HOUR ON a.m = b.m;
CREATE STREAM by_struct WITH (KEY_FORMAT = 'JSON') AS SELECT ROWKEY, a.id AS x FROM o a JOIN other b WITHIN 1 HOUR ON ARRAY(named_struct('i', a.id)) = ARRAY(named_struct('i', b.id));
SELECT x FROM by_struct ORDER BY x;
ALTER STREAM o RENAME TO elsewhere.o;
SET spark.kafkalyst.dialect = ksqldb;
INSERT INTO `o` (`k`, `id`) VALUES ("ABC", 1);
INSERT INTO `o` (`k`, `id`) VALUES ('ABC', 3);
