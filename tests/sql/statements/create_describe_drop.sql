-- The life of an object: declared, described in both spellings, altered by Spark's own statement, dropped.
CREATE STREAM s (k INT KEY, a VARCHAR, b DECIMAL(9, 2), st STRUCT<x INT, "y z" ARRAY<STRING>>, raw BYTES)
WITH (kafka_topic = '${prefix}s', Value_Format = 'json', PARTITIONS = 2);
DESCRIBE s;
DESCRIBE s EXTENDED;
DESCRIBE EXTENDED s;
DESC s;
SHOW STREAMS;
LIST STREAMS;
LIST TABLES;
SHOW TABLES;
SHOW CREATE TABLE s;
ALTER TABLE s SET TBLPROPERTIES ('on_error' = 'skip');
DESCRIBE s EXTENDED;
CREATE STREAM IF NOT EXISTS s (other INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE OR REPLACE STREAM s (k INT KEY, a VARCHAR, b DECIMAL(9, 2), st STRUCT<x INT, "y z" ARRAY<STRING>>, raw BYTES, more DATE) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
DESCRIBE s;
DROP STREAM s;
DROP STREAM IF EXISTS s;
SHOW STREAMS;
