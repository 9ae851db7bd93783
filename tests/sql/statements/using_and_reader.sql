-- The provider without our own DDL, as any Spark table.
-- topic: ${prefix}u
-- record: ${prefix}u {"a": 1, "b": "x"}
CREATE TABLE u (a INT, b STRING) USING kafkalyst OPTIONS (KAFKA_TOPIC = '${prefix}u', VALUE_FORMAT = 'JSON');
SELECT * FROM u;
INSERT INTO u VALUES (2, 'y');
SELECT b FROM u WHERE a > 1;
DROP TABLE u;
-- With PARTITIONS it makes its topic, as CREATE STREAM does; NOT NULL and comments are kept.
CREATE TABLE made (a INT NOT NULL, b STRING COMMENT 'what') USING kafkalyst OPTIONS (KAFKA_TOPIC = '${prefix}made', VALUE_FORMAT = 'JSON', PARTITIONS = 2);
SHOW TOPICS LIKE '${prefix}made';
DESCRIBE made;
INSERT INTO made VALUES (NULL, 'x');
INSERT INTO made VALUES (1, 'y');
SELECT * FROM made;
CREATE TABLE IF NOT EXISTS made (a INT) USING kafkalyst OPTIONS (KAFKA_TOPIC = '${prefix}made', VALUE_FORMAT = 'JSON', PARTITIONS = 2);
CREATE TABLE made (a INT) USING kafkalyst OPTIONS (KAFKA_TOPIC = '${prefix}made', VALUE_FORMAT = 'JSON', PARTITIONS = 2);
-- Spark's session catalog does not keep the lengths of texts.
CREATE TABLE texts (a VARCHAR(10) NOT NULL, b CHAR(3) COMMENT 'short') USING kafkalyst OPTIONS (KAFKA_TOPIC = '${prefix}texts', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO texts VALUES (NULL, 'x');
DESCRIBE texts;
-- A misspelt property is refused, in OPTIONS and in TBLPROPERTIES; another name is the user's own.
CREATE TABLE misspelt (a INT) USING kafkalyst OPTIONS (KAFKA_TOPIC = '${prefix}u', VALUE_FORMAT = 'JSON', on_eror = 'skip');
CREATE TABLE misspelt (a INT) USING kafkalyst TBLPROPERTIES (KAFKA_TOPIC = '${prefix}u', VALUE_FORMAT = 'JSON', partitons = '3');
CREATE TABLE misspelt (a INT) USING kafkalyst OPTIONS (KAFKA_TOPIC = '${prefix}u', VALUE_FORMAT = 'JSON', on_error = 'skp');
CREATE TABLE own (a INT) USING kafkalyst OPTIONS (KAFKA_TOPIC = '${prefix}u', VALUE_FORMAT = 'JSON', team = 'a', 'on.eror' = 'b');
SELECT count(*) FROM own;
DROP TABLE own;
