-- RENAME of objects with names that their entries cannot have: the new name is the object's in all statements.
-- topic: ${prefix}u
-- topic: ${prefix}w
-- record: ${prefix}u key=a {"a":1}
-- replace: (?m)^Search path: .*\n =>
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: \d+\.\d+(E-?\d+)? \| 0 \| NULL => ${rate} | 0 | NULL
CREATE STREAM Big (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}u', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
ALTER STREAM Big RENAME TO New;
SHOW STREAMS;
CREATE STREAM copy WITH (KAFKA_TOPIC = '${prefix}copy') AS SELECT * FROM New;
SHOW QUERIES;
ALTER STREAM New RENAME TO Newer;
DROP STREAM copy;
ALTER STREAM New RENAME TO "y-s.é";
SHOW STREAMS;
SELECT * FROM `y-s.é`;
-- Spark's statement is the same, also to a name in another case.
ALTER TABLE `y-s.é` RENAME TO plain;
ALTER TABLE plain RENAME TO PLAIN;
SHOW STREAMS;
ALTER TABLE plain RENAME TO PLAIN;
CREATE STREAM other (k STRING KEY, b INT) WITH (KAFKA_TOPIC = '${prefix}w', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
ALTER STREAM other RENAME TO plain;
ALTER STREAM other RENAME TO elsewhere.other;
ALTER STREAM golden.other RENAME TO golden.other2;
ALTER TABLE nothing RENAME TO nothing2;
SHOW STREAMS;
CREATE TEMPORARY TABLE mine (a INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}w', 'format' = 'json');
ALTER TABLE mine RENAME TO yours;
SELECT * FROM yours;
SELECT * FROM mine;
-- ksqlDB's names: two that differ only in case are two objects.
SET spark.kafkalyst.dialect = ksqldb;
CREATE STREAM kk (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}u', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
ALTER STREAM kk RENAME TO kk2;
SHOW STREAMS;
CREATE STREAM kk2 (k STRING KEY, b INT) WITH (KAFKA_TOPIC = '${prefix}w', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
SELECT * FROM kk2;
ALTER STREAM kk2 RENAME TO `kk3`;
CREATE STREAM kk3 (k STRING KEY, c INT) WITH (KAFKA_TOPIC = '${prefix}w', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
ALTER STREAM kk3 RENAME TO `kk3`;
ALTER STREAM kk3 RENAME TO `a.b`;
SHOW STREAMS;
SELECT * FROM `kk3`;
DROP STREAM kk3;
DROP STREAM `kk3`;
SHOW STREAMS;
