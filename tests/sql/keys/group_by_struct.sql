-- GROUP BY STRUCT<…>, whose fields are the key, and keys that the SELECT leaves out.
-- replace: C[ST]AS_[A-Z_0-9]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM s (a INT KEY, b STRING KEY, c INT) WITH (KAFKA_TOPIC = '${prefix}s', PARTITIONS = 1, KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');
INSERT INTO s VALUES (1, 'k', 3), (1, 'k', 4), (2, 'k', 5);
CREATE TABLE several WITH (KAFKA_TOPIC = '${prefix}g1') AS SELECT a, b, count(*) AS n FROM s GROUP BY STRUCT<a, b>;
SELECT * FROM several;
CREATE TABLE one WITH (KAFKA_TOPIC = '${prefix}g2') AS SELECT b, count(*) AS n FROM s GROUP BY STRUCT<b>;
SHOW CREATE TABLE one AS KSQLDB;
CREATE TABLE both WITH (KAFKA_TOPIC = '${prefix}g3') AS SELECT a, b, count(*) AS n FROM s GROUP BY STRUCT(a, b);
SELECT * FROM both;
CREATE STREAM kept WITH (KAFKA_TOPIC = '${prefix}kept') AS SELECT c + 1 AS d FROM s WHERE c > 3;
SELECT * FROM kept;
CREATE STREAM half WITH (KAFKA_TOPIC = '${prefix}half') AS SELECT x.c, x.b FROM (SELECT c, a, b FROM s) x;
DESCRIBE half;
CREATE STREAM other WITH (KAFKA_TOPIC = '${prefix}other') AS SELECT c AS a FROM s;
SELECT ROWKEY, ROWVALUE FROM other;
CREATE TABLE named WITH (KAFKA_TOPIC = '${prefix}g4') AS SELECT d, d + 1 AS e, count(*) AS n FROM s GROUP BY c + 1 AS d HAVING count(*) > 0;
SELECT * FROM named;
CREATE TABLE nested WITH (KAFKA_TOPIC = '${prefix}g5') AS SELECT k->a AS x, count(*) AS n FROM s GROUP BY STRUCT(a, b) AS k;
SELECT ROWKEY, ROWVALUE FROM nested;
CREATE TABLE in_record WITH (KAFKA_TOPIC = '${prefix}g6') AS SELECT count(*) AS n FROM s GROUP BY STRUCT<k STRUCT<a, b>>;
SELECT ROWKEY, ROWVALUE FROM in_record;
CREATE TABLE two WITH (KAFKA_TOPIC = '${prefix}g7') AS SELECT CAST(x AS VARCHAR(STRING)) AS t, upper(b) AS y, count(*) AS n FROM s GROUP BY a AS x, upper(b);
SELECT ROWKEY, ROWVALUE FROM two;
-- ksqlDB's STRUCT with names is a value: as the only key it stands bare.
CREATE TABLE value WITH (KAFKA_TOPIC = '${prefix}g8') AS SELECT STRUCT(x := a) AS k, count(*) AS n FROM s GROUP BY STRUCT(x := a);
SHOW CREATE TABLE value AS KSQLDB;
CREATE TABLE field WITH (KAFKA_TOPIC = '${prefix}g9') AS SELECT STRUCT(x := a)->x AS k, count(*) AS n FROM s GROUP BY STRUCT(x := a)->x;
SHOW CREATE TABLE field AS KSQLDB;
CREATE STREAM by_value WITH (KAFKA_TOPIC = '${prefix}g10') AS SELECT STRUCT(x := a, y := b) AS k, c FROM s PARTITION BY STRUCT(x := a, y := b);
SELECT ROWKEY, ROWVALUE FROM by_value;
CREATE STREAM by_field WITH (KAFKA_TOPIC = '${prefix}g11') AS SELECT STRUCT(x:=a)->x AS k, c FROM s PARTITION BY STRUCT(x:=a)->x;
SELECT ROWKEY, ROWVALUE FROM by_field;
