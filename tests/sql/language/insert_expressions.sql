-- Rows of VALUES are in ksqlDB's language where names are ksqlDB's: its functions, operators, constructors and lambdas.
-- conf: spark.kafkalyst.dialect=ksqldb
-- spark: 4.1 4.2
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
CREATE STREAM s (k STRING KEY, i INT, b BIGINT, d DOUBLE, n DECIMAL(6, 2), t STRING, y BYTES, ts TIMESTAMP, tm TIME, a ARRAY<INT>, m MAP<STRING, INT>, st STRUCT<x INT, d DATE>)
WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s (k, i, b, d) VALUES ('a' + 'b', 7 / 2, UNIX_TIMESTAMP(PARSE_TIMESTAMP('1970-01-02', 'yyyy-MM-dd')), 7 / 2);
INSERT INTO s (k, t, y) VALUES (SUBSTRING('xyz', 2, 1), CONCAT('a', NULL, 'b'), TO_BYTES('6869', 'hex'));
INSERT INTO s (k, i, a) VALUES ('places', ARRAY[5, 6][-1], TRANSFORM(ARRAY[1, 2], x => x + 1));
INSERT INTO s (k, a, m) VALUES ('texts', ARRAY['1', 2], MAP('a' := 1, 'b' := NULL));
INSERT INTO s (k, st, m) VALUES ('fields', STRUCT(x := 1, d := FROM_DAYS(3)), AS_MAP(ARRAY['z'], ARRAY[26]));
INSERT INTO s (k, tm) VALUES ('time', '10:11:12.5'), ('none', NULL);
INSERT INTO s (k, tm) VALUES ('also', PARSE_TIME('10:15', 'HH:mm'));
INSERT INTO s (k, n) VALUES ('fits', 1.5), ('cast', CAST(1.234 AS DECIMAL(6, 2)));
INSERT INTO s (k, y) VALUES ('base64', 'aGk=');
INSERT INTO s (k, st) VALUES ('a field left out', STRUCT(d := '1970-01-05'));
SELECT * FROM s;
CREATE STREAM named (k STRING KEY, st STRUCT<x INT, d INT>, ar ARRAY<STRUCT<x INT, d INT>>, ma MAP<STRING, STRUCT<x INT, y BYTES>>) WITH (KAFKA_TOPIC = '${prefix}named', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO named (k, st) VALUES ('in another order', STRUCT(d := 1, x := 2));
INSERT INTO named VALUES ('within', NULL, ARRAY[STRUCT(d := 1, x := 2), NULL], MAP('a' := STRUCT(y := 'aGk=')));
SELECT * FROM named;
-- TIMEs that are NULL, in joins and in first rows.
CREATE STREAM times (k INT KEY, c TIME, st STRUCT<a TIME, b INT>) WITH (KAFKA_TOPIC = '${prefix}times', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM other (k INT KEY, d TIME) WITH (KAFKA_TOPIC = '${prefix}other', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO times (k, st) VALUES (2, STRUCT(a := NULL, b := 1));
INSERT INTO times (k, c) VALUES (2, NULL);
INSERT INTO times (k, c) VALUES (1, '10:11:12.5');
INSERT INTO other (k, d) VALUES (1, '11:00');
SELECT c FROM times EMIT CHANGES LIMIT 3;
CREATE STREAM joined WITH (KAFKA_TOPIC = '${prefix}joined') AS SELECT times.k AS k, c, d, c < d AS earlier, st FROM times JOIN other WITHIN 1 DAY ON times.k = other.k;
SELECT * FROM joined;
CREATE TABLE at (d TIME PRIMARY KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}at', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO at (ROWTIME, d, v) VALUES (1, '10:11:12.5', 7);
CREATE STREAM bytime WITH (KAFKA_TOPIC = '${prefix}bytime', KEY_FORMAT = 'JSON') AS SELECT at.d AS d, k, v FROM times JOIN at ON times.c = at.d;
SELECT * FROM bytime;
INSERT INTO named (k, st) VALUES ('as many fields', STRUCT(z := 1, d := 3));
INSERT INTO s (k, y) VALUES ('no base64', '?');
INSERT INTO s (k, st) VALUES ('no date', STRUCT(d := 'x'));
INSERT INTO s (k, n) VALUES ('digits', 1.234);
INSERT INTO s (k, tm) VALUES ('late', '25:00:00');
INSERT INTO s (k, st) VALUES ('other', STRUCT(z := 1));
INSERT INTO s (k, t) VALUES ('none', NO_SUCH(1));
CREATE STREAM twice (k INT KEY, k INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM maps (k MAP<STRING, INT> KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}s', FORMAT = 'JSON');
CREATE STREAM maps WITH (KAFKA_TOPIC = '${prefix}maps', KEY_FORMAT = 'JSON') AS SELECT m, i FROM s PARTITION BY m;
