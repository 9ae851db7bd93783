-- TIME columns of fewer digits than a value has, without Spark's setting for TIME.
-- spark: 4.1 4.2
CREATE STREAM digits (id INT, ms TIME(3), s TIME(0), u TIME) WITH (KAFKA_TOPIC = '${prefix}digits', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO digits VALUES (1, TIME '10:11:12.345678', TIME '10:11:12.345678', TIME '10:11:12.345678');
INSERT INTO digits SELECT id + 1, u, ms, s FROM digits;
SELECT * FROM digits;
INSERT INTO digits VALUES (3, '10:11:12', NULL, NULL);
SET spark.kafkalyst.dialect = ksqldb;
INSERT INTO digits VALUES (3, '10:11:12.345678', '10:11:12.345678', '10:11:12.345678');
RESET spark.kafkalyst.dialect;
SELECT * FROM digits WHERE id = 3;
