-- Flink's ALTER TABLE: columns, options, keys and watermarks; every statement leaves the definition of its CREATE.
-- replace: schema id \d+ => schema id ${id}
CREATE TABLE t (id BIGINT, name STRING, ts TIMESTAMP(3), `offset` BIGINT METADATA VIRTUAL)
WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO t VALUES (1, 'before', TIMESTAMP_NTZ '2024-01-01 00:00:00');
ALTER TABLE t ADD (a INT, b STRING COMMENT 'a text');
ALTER TABLE t ADD first_ INT FIRST;
ALTER TABLE t ADD second INT NOT NULL AFTER first_;
ALTER TABLE t ADD (twice AS id * 2 COMMENT 'computed', `timestamp` TIMESTAMP_LTZ(3) METADATA AFTER id);
ALTER TABLE t ADD WATERMARK FOR ts AS ts - INTERVAL '5' SECOND;
DESCRIBE t;
ALTER TABLE t MODIFY (second INT, name VARCHAR(10) FIRST);
ALTER TABLE t MODIFY twice AS id * 20;
ALTER TABLE t MODIFY `offset` STRING METADATA VIRTUAL AFTER name;
ALTER TABLE t MODIFY WATERMARK FOR ts AS ts;
ALTER TABLE t RENAME name TO title;
ALTER TABLE t RENAME `timestamp` TO at;
ALTER TABLE t DROP first_;
ALTER TABLE t DROP (a, second);
ALTER TABLE t SET ('scan.bounded.mode' = 'latest-offset', 'json.ignore-parse-errors' = 'true');
SHOW CREATE TABLE t AS FLINK;
ALTER TABLE t RESET ('scan.bounded.mode', 'json.ignore-parse-errors', 'nosuch');
ALTER TABLE t DROP WATERMARK;
SHOW CREATE TABLE t AS FLINK;
INSERT INTO t (title, id) VALUES ('after', 2);
SELECT title, `offset`, id, ts, b, twice FROM t;
ALTER TABLE t RENAME TO t2;
ALTER TABLE IF EXISTS t2 RENAME TO t3;
ALTER TABLE IF EXISTS t2 DROP id;
DESCRIBE t3;
-- The key of upsert-kafka.
CREATE TABLE u (id BIGINT, k STRING, v INT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}u', 'key.format' = 'json', 'value.format' = 'json', 'PARTITIONS' = '1');
ALTER TABLE u MODIFY PRIMARY KEY (k, id) NOT ENFORCED;
ALTER TABLE u RENAME k TO kk;
INSERT INTO u VALUES (1, 'a', 1), (1, 'b', 2), (1, 'a', 3);
SELECT * FROM u ORDER BY kk;
DESCRIBE u;
-- A PRIMARY KEY over events makes a table of them, and without it they are changes again.
CREATE TABLE e (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}e', 'format' = 'debezium-json', 'PARTITIONS' = '1');
ALTER TABLE e ADD CONSTRAINT pk PRIMARY KEY (id) NOT ENFORCED;
DESCRIBE e;
ALTER TABLE e DROP CONSTRAINT pk;
DESCRIBE e;
-- Key columns of kafka follow their names; schemas of avro-confluent their columns.
CREATE TABLE av (id INT, v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}av', 'format' = 'avro-confluent', 'key.format' = 'json', 'key.fields' = 'id', 'PARTITIONS' = '1');
INSERT INTO av VALUES (1, 'one');
ALTER TABLE av RENAME id TO n;
ALTER TABLE av ADD (w INT, z STRING);
INSERT INTO av VALUES (2, 'two', 22, 'z');
ALTER TABLE av DROP w;
INSERT INTO av VALUES (3, 'three', 'zz');
SELECT * FROM av WHERE v <> 'one';
SHOW CREATE TABLE av AS FLINK;
