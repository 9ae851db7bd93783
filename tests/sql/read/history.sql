-- A stream whose old records are in a table of another catalog.
-- topic: ${prefix}h
-- record: ${prefix}h {"v": 1}
CREATE STREAM h (v INT) WITH (KAFKA_TOPIC = '${prefix}h', VALUE_FORMAT = 'JSON', HISTORY = 'h_old');
SELECT * FROM h;
SELECT * FROM h VERSION AS OF 'partition:0,offset:1';
-- A short name means the same table for all readers.
CREATE SCHEMA history_other;
USE history_other;
SELECT * FROM golden.h;
ALTER TABLE golden.h SET TBLPROPERTIES ('history' = 'a b');
DROP SCHEMA history_other;
USE golden;
CREATE TABLE h_old USING parquet AS SELECT v, ROWPARTITION AS p, ROWOFFSET AS o FROM h EMIT CHANGES;
CREATE TABLE h_old (v INT, p INT, o BIGINT) USING parquet;
SELECT * FROM h;
ALTER TABLE h SET TBLPROPERTIES ('history' = 'h');
SELECT * FROM h;
ALTER TABLE h UNSET TBLPROPERTIES ('history');
SELECT * FROM h;
DROP TABLE h_old;
CREATE TABLE h_latest (k INT PRIMARY KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}h', VALUE_FORMAT = 'JSON', HISTORY = 'h_old');
CREATE STREAM h_many (v INT) WITH (KAFKA_TOPIC = '${prefix}h;${prefix}h2', VALUE_FORMAT = 'JSON', HISTORY = 'h_old');
CREATE STREAM h_none (v INT) WITH (KAFKA_TOPIC = '${prefix}h', VALUE_FORMAT = 'JSON', HISTORY = ' ');
