-- Flink's CREATE TABLE … AS, EXECUTE and statement sets.
-- replace: #\d+L? => #n
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: INSERTQUERY_\d+ => ${insert}
CREATE TABLE t (id BIGINT, name STRING, ts TIMESTAMP(3), l TIMESTAMP_LTZ(3), r ROW<a INT, b ARRAY<STRING>>) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'PARTITIONS' = '1', 'format' = 'json');
INSERT INTO t VALUES (1, 'a', TIMESTAMP_NTZ '2024-01-02 03:04:05.678', TIMESTAMP '2024-01-02 03:04:05', NAMED_STRUCT('a', 1, 'b', ARRAY('x'))), (2, 'b', NULL, NULL, NULL), (3, 'c', NULL, NULL, NULL);
CREATE TABLE c COMMENT 'copied' WITH ('connector' = 'kafka', 'topic' = '${prefix}c', 'PARTITIONS' = '1', 'format' = 'json') AS SELECT * FROM t WHERE id < 3;
SELECT * FROM c;
SHOW CREATE TABLE c AS FLINK;
CREATE TABLE IF NOT EXISTS c WITH ('connector' = 'kafka', 'topic' = '${prefix}c', 'format' = 'json') AS SELECT * FROM t;
SELECT count(*) FROM c;
-- What the table has besides the query's columns; a declared type replaces the query's.
CREATE TABLE u (more STRING, name VARCHAR(10), up AS UPPER(name), at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}u', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json')
  AS WITH x AS (SELECT id, name FROM t) SELECT id, name, id * 2 AS twice FROM x;
SELECT id, name, twice, more, up FROM u;
SHOW CREATE TABLE u AS FLINK;
-- Nothing is left of what fails.
CREATE TABLE f WITH ('connector' = 'kafka', 'topic' = '${prefix}f', 'PARTITIONS' = '1', 'format' = 'json') AS SELECT CAST(raise_error('no') AS STRING) AS x FROM t;
SHOW TABLES LIKE 'f';
CREATE TABLE f WITH ('connector' = 'kafka', 'topic' = '${prefix}f', 'PARTITIONS' = '1', 'format' = 'json') AS SELECT nosuch FROM t;
CREATE TABLE f WITH ('connector' = 'kafka', 'topic' = '${prefix}f', 'PARTITIONS' = '1', 'format' = 'json') AS SELECT id, name IS JSON AS j FROM t ORDER BY id FETCH FIRST 1 ROW ONLY;
SELECT * FROM f;
-- Mere names are the query's columns in the table's order.
CREATE TABLE o (name, id) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'PARTITIONS' = '1', 'format' = 'json') AS SELECT id, name FROM t;
SELECT * FROM o;
CREATE TABLE p (name, nosuch) WITH ('connector' = 'kafka', 'topic' = '${prefix}p', 'PARTITIONS' = '1', 'format' = 'json') AS SELECT id, name FROM t;
CREATE TABLE p (name) WITH ('connector' = 'kafka', 'topic' = '${prefix}p', 'PARTITIONS' = '1', 'format' = 'json') AS SELECT id, name FROM t;
CREATE TABLE p (name, name) WITH ('connector' = 'kafka', 'topic' = '${prefix}p', 'PARTITIONS' = '1', 'format' = 'json') AS SELECT id, name FROM t;
CREATE TABLE p (name) WITH ('connector' = 'kafka', 'topic' = '${prefix}p', 'PARTITIONS' = '1', 'format' = 'json');
CREATE TABLE p (name) LIKE t;
CREATE STREAM p (name) WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'JSON');
-- What is there is replaced, except for the records; what fails leaves it.
CREATE OR REPLACE TABLE rep WITH ('connector' = 'kafka', 'topic' = '${prefix}rep', 'PARTITIONS' = '1', 'format' = 'json') AS SELECT id FROM t WHERE id = 1;
CREATE OR REPLACE TABLE rep (twice AS id * 2) WITH ('connector' = 'kafka', 'topic' = '${prefix}rep', 'format' = 'json') AS SELECT id, name FROM t WHERE id = 2;
SELECT id, name, twice FROM rep;
REPLACE TABLE rep WITH ('connector' = 'kafka', 'topic' = '${prefix}rep', 'format' = 'json') AS SELECT CAST(raise_error('no') AS BIGINT) AS id FROM t;
REPLACE TABLE rep WITH ('connector' = 'kafka', 'topic' = '${prefix}rep', 'format' = 'json', 'nosuch' = 'x') AS SELECT id FROM t;
REPLACE TABLE rep WITH ('connector' = 'kafka', 'topic' = '${prefix}rep', 'format' = 'json') AS SELECT nosuch FROM t;
SELECT id, name, twice FROM rep;
REPLACE TABLE rep WITH ('connector' = 'kafka', 'topic' = '${prefix}rep', 'format' = 'json') AS SELECT name FROM t WHERE id = 1;
SELECT * FROM rep;
REPLACE TABLE nosuch WITH ('connector' = 'kafka', 'topic' = '${prefix}p', 'format' = 'json') AS SELECT id FROM t;
REPLACE TABLE rep (id BIGINT) WITH ('connector' = 'kafka', 'topic' = '${prefix}rep', 'format' = 'json');
REPLACE TABLE IF NOT EXISTS rep WITH ('connector' = 'kafka', 'topic' = '${prefix}rep', 'format' = 'json') AS SELECT id FROM t;
CREATE TEMPORARY TABLE rep WITH ('connector' = 'kafka', 'topic' = '${prefix}rep', 'format' = 'json') AS SELECT id FROM t;
-- With EMIT CHANGES the query runs on: the table is that of a CREATE, and the query that of an INSERT.
CREATE TABLE live WITH ('connector' = 'kafka', 'topic' = '${prefix}live', 'PARTITIONS' = '1', 'format' = 'json') AS SELECT id, name, id + 1 AS next, r FROM t WHERE id < 3 EMIT CHANGES;
CREATE TABLE IF NOT EXISTS live WITH ('connector' = 'kafka', 'topic' = '${prefix}live', 'format' = 'json') AS SELECT id FROM t EMIT CHANGES;
SELECT * FROM live;
CREATE TABLE counted (up AS UPPER(name), PRIMARY KEY (name) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}counted', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json') AS SELECT name, COUNT(*) AS n, MAX(id) AS latest FROM t GROUP BY name EMIT CHANGES;
SELECT name, n, latest, up FROM counted;
CREATE TABLE g WITH ('connector' = 'kafka', 'topic' = '${prefix}g', 'PARTITIONS' = '1', 'format' = 'json') AS SELECT name, COUNT(*) AS n FROM t GROUP BY name EMIT CHANGES;
CREATE TABLE g WITH ('connector' = 'kafka', 'topic' = '${prefix}g', 'PARTITIONS' = '1', 'format' = 'json') AS SELECT nosuch FROM t EMIT CHANGES;
SHOW TABLES LIKE 'g';
EXPLAIN CREATE TABLE g WITH ('connector' = 'kafka', 'topic' = '${prefix}g', 'format' = 'json') AS SELECT id FROM t LIMIT 0;
-- Statement sets.
CREATE TABLE a (id BIGINT, name STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'PARTITIONS' = '1', 'format' = 'json');
CREATE TABLE b (id BIGINT, name STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}b', 'PARTITIONS' = '1', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT id, name FROM t WHERE id < 3; INSERT INTO b SELECT id, 'x;END' FROM t; END;
BEGIN STATEMENT SET; INSERT INTO a SELECT id, name FROM t; INSERT INTO b VALUES (7, 'y'); END;
EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT id, name FROM t; INSERT INTO b SELECT nosuch, name FROM t; END;
EXECUTE STATEMENT SET BEGIN SELECT 1; END;
EXECUTE STATEMENT SET BEGIN END;
EXECUTE INSERT INTO a (id) VALUES (8);
EXECUTE SELECT count(*) AS a FROM a;
SELECT * FROM b;
EXECUTE IMMEDIATE 'SELECT 1 AS one';
EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT id, name FROM t;
