-- ksqlDB's small statements: types, variables, assertions, properties, and SOURCE streams.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- topic: ${prefix}two partitions=2
-- schema: one ${prefix}two-value {"type": "record", "name": "R", "fields": [{"name": "A", "type": ["null", "int"], "default": null}]}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
CREATE TYPE point AS STRUCT<x INT, y INT>;
CREATE TYPE line AS STRUCT<name VARCHAR, points ARRAY<point>>;
CREATE TYPE point AS INT;
CREATE TYPE IF NOT EXISTS point AS INT;
CREATE TYPE bad AS STRUCT<x NOPE>;
SHOW TYPES;
CREATE STREAM lines (k INT KEY, l line, p POINT) WITH (KAFKA_TOPIC = '${prefix}lines', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
DESCRIBE lines;
CREATE STREAM moved AS SELECT k, CAST(STRUCT(x := '1', y := '2') AS point) AS p, CAST(NULL AS ARRAY<line>) AS ls FROM lines;
DESCRIBE moved;
DROP TYPE line;
DROP TYPE line;
DROP TYPE IF EXISTS line;
DROP TYPE poin;
LIST TYPES;
DESCRIBE lines;
DEFINE fmt = 'JSON';
DEFINE src = 'lines';
DEFINE what = 'it''s $x';
DEFINE spaced = 'two words';
SHOW VARIABLES;
CREATE STREAM "${nope}x" (a INT) WITH (KAFKA_TOPIC = '${prefix}lines', VALUE_FORMAT = '${fmt}');
CREATE STREAM again (k INT KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}${src}', VALUE_FORMAT = '${fmt}');
SELECT '${what} ${unknown}' AS text, count(*) AS c FROM ${src};
SELECT '$${fmt} ${fmt}' AS text;
SELECT * FROM ${unknown};
SELECT * FROM ${spaced};
UNDEFINE src;
SELECT * FROM ${src};
ASSERT TOPIC '${prefix}two';
ASSERT TOPIC '${prefix}two' WITH (PARTITIONS = 2, REPLICAS = 1) TIMEOUT 2 SECONDS;
ASSERT TOPIC '${prefix}two' WITH (PARTITIONS = 3) TIMEOUT 10 MILLISECONDS;
ASSERT TOPIC '${prefix}two' WITH (FOO = 3);
ASSERT NOT EXISTS TOPIC '${prefix}none' TIMEOUT 1 SECOND;
ASSERT NOT EXISTS TOPIC '${prefix}two' TIMEOUT 10 MILLISECONDS;
ASSERT TOPIC '${prefix}none' TIMEOUT 10 FOO;
ASSERT SCHEMA SUBJECT '${prefix}two-value';
ASSERT SCHEMA SUBJECT '${prefix}two-value' ID ${id.one};
ASSERT SCHEMA ID ${id.one};
ASSERT NOT EXISTS SCHEMA SUBJECT '${prefix}none-value';
ASSERT SCHEMA SUBJECT '${prefix}none-value' TIMEOUT 10 MILLISECONDS;
ASSERT SCHEMA;
ASSERT SCHEMA ID 'x';
CREATE SOURCE STREAM src (k INT KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}lines', VALUE_FORMAT = 'JSON');
INSERT INTO src VALUES (1, 2);
INSERT INTO src SELECT k, a FROM again EMIT CHANGES;
CREATE OR REPLACE STREAM src (k INT KEY, a INT, b INT) WITH (KAFKA_TOPIC = '${prefix}lines', VALUE_FORMAT = 'JSON');
CREATE OR REPLACE SOURCE STREAM src (k INT KEY) WITH (KAFKA_TOPIC = '${prefix}lines', VALUE_FORMAT = 'JSON');
DROP STREAM src DELETE TOPIC;
SELECT * FROM src;
DROP STREAM src;
CREATE NONSENSE STREAM src (k INT KEY) WITH (KAFKA_TOPIC = '${prefix}lines', VALUE_FORMAT = 'JSON');
RUN SCRIPT '/nowhere/at/all.sql';
DEFINE;
-- What is stored as a type's text and is none is no type.
ALTER DATABASE golden SET DBPROPERTIES ('kafkalyst.type.FORGED' = 'STRING) AS x, CAST(current_user() AS STRING');
SELECT CAST('a' AS forged) FROM VALUES (1) t(a) EMIT CHANGES;
CREATE STREAM forged (a FORGED) WITH (KAFKA_TOPIC = '${prefix}forged', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
ALTER DATABASE golden SET DBPROPERTIES ('kafkalyst.type.FORGED' = '');
