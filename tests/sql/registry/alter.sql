-- ALTER … ADD COLUMN registers the next version of the schema; REFRESH SCHEMA takes the columns of the latest.
-- schema: order ${prefix}o-value {"type":"record","name":"Order","namespace":"shop","doc":"kept","fields":[{"name":"orderId","type":"long"},{"name":"note","type":"string","default":"-"}]}
-- schema: json ${prefix}j-value JSON {"type":"object","title":"Order","properties":{"a":{"type":"integer"}}}
-- topic: ${prefix}o partitions=1
-- topic: ${prefix}j partitions=1
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- replace: schema id \d+ => schema id n
CREATE STREAM s WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'AVRO');
CREATE STREAM again WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'AVRO');
INSERT INTO s VALUES (1, 'before');
ALTER STREAM s ADD COLUMN price DECIMAL(9, 2), st STRUCT<x INT, y STRING>;
INSERT INTO s VALUES (2, 'after', 2.50, named_struct('x', 1, 'y', 'z'));
SELECT * FROM s;
DESCRIBE s;
-- Another stream over the topic sees them when it asks.
SELECT * FROM again;
ALTER STREAM again REFRESH SCHEMA;
ALTER STREAM again REFRESH SCHEMA;
SELECT * FROM again;
-- Without the word COLUMN, in brackets, and where the schema has the field already.
ALTER STREAM again ADD c INT;
ALTER STREAM s ADD COLUMNS (c INT);
-- Formats without schemas have nothing to register.
CREATE TABLE t (k INT PRIMARY KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
ALTER TABLE t ADD COLUMN b STRING;
INSERT INTO t VALUES (1, 2, 'b');
SELECT * FROM t;
-- What is Spark's stays Spark's.
CREATE TABLE plain (a INT) USING parquet;
ALTER TABLE plain ADD COLUMN b STRING;
DESCRIBE plain;
DROP TABLE plain;
ALTER TABLE t SET TBLPROPERTIES ('on_error' = 'skip');
ALTER TABLE t ADD COLUMN c STRING;
-- Spark's words do not tell the kinds apart.
CREATE STREAM of_spark (a INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
ALTER TABLE of_spark ADD COLUMNS (b STRING, c STRING);
SELECT * FROM of_spark;
-- JSON_SR and PROTOBUF: a schema of ours is derived anew, one of others is not touched.
CREATE STREAM p (a INT) WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'PROTOBUF', PARTITIONS = 1);
ALTER STREAM p ADD COLUMN b STRING;
INSERT INTO p VALUES (1, 'x');
SELECT * FROM p;
CREATE STREAM j WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON_SR');
ALTER STREAM j ADD COLUMN b STRING;
-- Twins that are refused, each leaving all as it was.
ALTER STREAM s ADD COLUMN price INT;
ALTER STREAM s ADD COLUMN n INT, n INT;
ALTER STREAM s ADD COLUMN rowtime INT;
ALTER STREAM t ADD COLUMN n INT;
ALTER STREAM nothing ADD COLUMN n INT;
ALTER STREAM s ADD COLUMN n FOO;
ALTER STREAM s ADD COLUMN "n-n" INT;
ALTER STREAM s ADD COLUMN n INT KEY;
ALTER STREAM s RENAME COLUMN n;
ALTER TABLE t REFRESH SCHEMA;
CREATE STREAM bare (v INT) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'AVRO', WRAP_SINGLE_VALUE = FALSE, PARTITIONS = 1);
ALTER STREAM bare ADD COLUMN n INT;
CREATE STREAM given WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = ${id.order});
ALTER STREAM given REFRESH SCHEMA;
CREATE STREAM fixed WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'AVRO', AUTO_REGISTER = 'false');
ALTER STREAM fixed ADD COLUMN n INT;
CREATE STREAM few (orderid BIGINT) WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'AVRO');
ALTER STREAM few ADD COLUMN note INT;
CREATE STREAM q WITH (KAFKA_TOPIC = '${prefix}q') AS SELECT orderId FROM s;
ALTER STREAM q ADD COLUMN n INT;
DESCRIBE s;
