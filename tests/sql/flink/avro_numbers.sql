-- Plain numbers of a registered schema are times and dates by the table's columns, read and written.
-- replace: schema id \d+ => schema id ${id}
-- replace: begins with 00( [0-9a-f]{2}){4} => begins with ${id}
-- topic: ${prefix}a partitions=1
-- avro: ${prefix}a {"type":"record","name":"record","fields":[{"name":"id","type":"int"},{"name":"at","type":"long"},{"name":"d","type":["null","int"]}]}
-- record: ${prefix}a {"id":1,"at":1500,"d":{"int":2}}
CREATE TABLE t (id INT, at TIMESTAMP(3), d DATE) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'avro-confluent');
INSERT INTO t VALUES (2, TIMESTAMP_NTZ '1970-01-01 00:00:02.5', NULL);
SELECT * FROM t;
CREATE TABLE micros (id INT, at TIMESTAMP(6), d DATE) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'format' = 'avro-confluent');
SELECT * FROM micros WHERE id = 2;
CREATE STREAM numbers WITH (KAFKA_TOPIC = '${prefix}a', KEY_FORMAT = 'NONE', VALUE_FORMAT = 'AVRO');
SELECT * FROM numbers;
-- Without a unit nobody knows what the number counts.
CREATE STREAM times (id INT, at TIMESTAMP) WITH (KAFKA_TOPIC = '${prefix}a', KEY_FORMAT = 'NONE', VALUE_FORMAT = 'AVRO');
SELECT * FROM times;
