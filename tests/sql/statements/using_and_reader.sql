-- The provider without our own DDL, as any Spark table.
-- topic: ${prefix}u
-- record: ${prefix}u {"a": 1, "b": "x"}
CREATE TABLE u (a INT, b STRING) USING kafkalyst OPTIONS (KAFKA_TOPIC = '${prefix}u', VALUE_FORMAT = 'JSON');
SELECT * FROM u;
INSERT INTO u VALUES (2, 'y');
SELECT b FROM u WHERE a > 1;
DROP TABLE u;
