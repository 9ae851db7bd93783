-- Comments within Flink's statements; those before them are in FrontDoorSuite.
-- topic: ${prefix}o
CREATE STREAM o (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}o', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
USE /* c */ CATALOG spark_catalog;
EXECUTE /* c */ STATEMENT SET -- c
BEGIN /* c */ INSERT INTO o VALUES ('q', 1); -- c
/* INSERT */ INSERT INTO o VALUES ('--r', 2); END;
EXECUTE -- c
INSERT INTO o VALUES ('/* s */', 3);
SELECT * FROM o ORDER BY a;
CREATE /* c */ TEMPORARY -- c
TABLE t (a INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'json');
SHOW COLUMNS /* c */ FROM t LIKE 'a%';
DROP TEMPORARY /* c */ TABLE t;
-- A backslash before a quote in a comment, when the statement is made anew.
CREATE TABLE noted (a STRING COMMENT R"x\'y") COMMENT R'ends in \' WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'json');
CREATE TABLE copied LIKE noted;
ALTER TABLE noted ADD (b STRING);
DESCRIBE noted;
DESCRIBE copied;
SHOW CREATE TABLE noted AS FLINK;
