-- Slips that have a name: typographic quotes, names among VALUES, too many digits.
CREATE STREAM s (a INT, t STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM x (“@ID” INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM x (a INT) WITH (KAFKA_TOPIC = ‘${prefix}s’, VALUE_FORMAT = 'JSON');
SELECT “a” FROM s;
SELECT “a” FROM nobody_knows;
SELECT '“a”' AS quoted FROM s;
SELECT a FROM s WHERE t = ’x’ EMIT CHANGES;
INSERT INTO s VALUES (1, ABC);
SET spark.sql.ansi.doubleQuotedIdentifiers = true;
INSERT INTO s VALUES (1, "it's");
SET spark.sql.ansi.doubleQuotedIdentifiers = false;
INSERT INTO s VALUES (1, "ABC");
SELECT * FROM s;
CREATE STREAM x (a DECIMAL(39, 2)) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE STREAM x (a STRUCT<d DECIMAL(77, 0)>) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
