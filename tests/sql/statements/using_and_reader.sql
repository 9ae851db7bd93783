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
