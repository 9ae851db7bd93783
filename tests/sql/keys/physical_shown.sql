-- A physical declaration is another way to write the object: what is shown and made of it has its columns.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: CSAS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
CREATE STREAM two (ROWKEY STRUCT<k0 INT, k1 INT>, ROWVALUE STRUCT<v0 INT, v1 INT>) WITH (KAFKA_TOPIC = '${prefix}two', FORMAT = 'JSON', PARTITIONS = 1);
DESCRIBE two;
SHOW CREATE TABLE two;
INSERT INTO two VALUES (1, 2, 3, 4);
SELECT * FROM two;
SELECT ROWKEY, ROWVALUE FROM two;
CREATE STREAM copied AS SELECT * FROM two;
DESCRIBE copied;
PRINT '${prefix}copied';
CREATE STREAM sides AS SELECT ROWKEY, ROWVALUE FROM two;
DESCRIBE sides;
PRINT '${prefix}sides';
-- The key may be marked, and other columns of the record stand beside both.
CREATE STREAM marked (ROWKEY INT KEY, ROWVALUE STRUCT<v INT>) WITH (KAFKA_TOPIC = '${prefix}marked', FORMAT = 'JSON', PARTITIONS = 1);
DESCRIBE marked;
INSERT INTO marked VALUES (1, 2);
PRINT '${prefix}marked';
CREATE STREAM headed (ROWVALUE STRUCT<v INT>, h ARRAY<STRUCT<key STRING, value BINARY>> HEADERS) WITH (KAFKA_TOPIC = '${prefix}headed', FORMAT = 'JSON', PARTITIONS = 1);
DESCRIBE headed;
INSERT INTO headed (v) VALUES (7);
SELECT *, ROWVALUE FROM headed;
CREATE TABLE keyed (ROWKEY STRUCT<k INT> PRIMARY KEY, ROWVALUE STRUCT<v INT>) WITH (KAFKA_TOPIC = '${prefix}keyed', FORMAT = 'JSON', PARTITIONS = 1);
DESCRIBE keyed;
INSERT INTO keyed VALUES (1, 2);
PRINT '${prefix}keyed';
-- A ROWKEY that is neither is not a column of the value by accident.
CREATE STREAM stray (ROWKEY INT, v INT) WITH (KAFKA_TOPIC = '${prefix}two', FORMAT = 'JSON');
CREATE STREAM stray (ROWKEY INT KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}two', FORMAT = 'JSON');
SET spark.kafkalyst.dialect = ksqldb;
CREATE STREAM ordinary (ROWKEY INT, v INT) WITH (KAFKA_TOPIC = '${prefix}two', FORMAT = 'JSON', KEY_FORMAT = 'NONE');
CREATE STREAM ordinary (ROWKEY INT, v INT) WITH (KAFKA_TOPIC = '${prefix}two', KEY_FORMAT = 'NONE', VALUE_FORMAT = 'JSON');
DESCRIBE ordinary;
