-- Which side of a join has its keys written in other bytes, and why: the right one.
-- replace: (?s)== Analyzed Logical Plan ==.*?(?=-- statement) => ${plan}
CREATE STREAM l (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}l', FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM r (k STRING KEY, w INT) WITH (KAFKA_TOPIC = '${prefix}r', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM d (k STRING KEY, w INT, name STRING) WITH (KAFKA_TOPIC = '${prefix}d', KEY_FORMAT = 'DELIMITED', KEY_DELIMITER = '|', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
EXPLAIN CREATE STREAM j AS SELECT l.k AS k, v, w FROM l JOIN r WITHIN 1 HOUR ON l.k = r.k;
EXPLAIN CREATE STREAM j AS SELECT l.k AS k, v, r.w FROM r JOIN l WITHIN 1 HOUR ON l.k = r.k;
EXPLAIN CREATE STREAM j WITH (KEY_FORMAT = 'AVRO') AS SELECT l.k AS k, v, d.w FROM l JOIN d WITHIN 1 HOUR ON l.k = d.name;
EXPLAIN CREATE STREAM j WITH (VALUE_FORMAT = 'JSON') AS SELECT * FROM d;
EXPLAIN CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}e', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
SHOW STREAMS;
