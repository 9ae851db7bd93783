-- Computed columns and WATERMARK: read, never written, and their errors.
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- topic: ${prefix}t
-- record: ${prefix}t key={"id":1} {"id":1,"name":"a","ms":1000,"ts":"2024-05-06 07:08:09.123"}
-- record: ${prefix}t key={"id":2} {"id":2,"name":"b","ms":2000,"ts":"2024-05-06 07:08:11"}
-- record: ${prefix}t key={"id":3} {"id":3,"name":"c","ms":3000,"ts":"2024-05-06 07:08:31"}
CREATE TABLE orders (
  id BIGINT,
  upper_name AS upper(name),
  name STRING,
  ms BIGINT,
  ts TIMESTAMP(3),
  `offset` BIGINT METADATA VIRTUAL,
  next_offset AS `offset` + 1,
  at AS TO_TIMESTAMP_LTZ(ms, 3),
  text AS CAST(ms AS STRING) || '!',
  proc AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'key.fields' = 'id', 'value.format' = 'json');
DESCRIBE orders;
SELECT id, upper_name, next_offset, at, text, proc IS NOT NULL FROM orders;
SELECT * EXCEPT (proc) FROM orders WHERE upper_name = 'B';
SELECT a.upper_name, b.next_offset, a.ROWOFFSET FROM orders a JOIN orders b ON a.id = b.id;
SELECT window.start, n FROM (SELECT window(ts, '10 seconds') AS window, count(*) AS n FROM orders GROUP BY window(ts, '10 seconds'));
INSERT INTO orders VALUES (4, 'd', 4000, TIMESTAMP_NTZ'2024-05-06 07:08:32');
INSERT INTO orders (id, upper_name) VALUES (5, 'E');
INSERT INTO orders SELECT * FROM orders;
SELECT upper_name FROM orders WHERE id = 4;
CREATE STREAM names WITH (KAFKA_TOPIC = '${prefix}n') AS SELECT id, upper_name, ts FROM orders WHERE id < 3;
SELECT * FROM names;
CREATE STREAM doubled (id BIGINT KEY, name STRING, twice AS id * (2 + 0)) WITH (KAFKA_TOPIC = '${prefix}t', KEY_FORMAT = 'JSON', KEY_FORMAT_TYPE = 'STRUCTURED', VALUE_FORMAT = 'JSON');
SELECT * FROM doubled WHERE id = 2;
CREATE TABLE x (id BIGINT, y AS nosuch + 1) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (id BIGINT, y AS o, o BIGINT METADATA FROM 'offset' VIRTUAL) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (y AS id + 1, id BIGINT, o BIGINT METADATA FROM 'offset' VIRTUAL, z AS o + id) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
SELECT y, z FROM x WHERE id = 2;
DROP TABLE x;
CREATE TABLE x (id BIGINT, y AS id, z AS y + 1) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (id BIGINT, y AS count(id)) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (id BIGINT, v INT, id AS v) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (id BIGINT, y AS id, PRIMARY KEY (y) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}t', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE x (v INT, WATERMARK FOR v AS v) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (v TIMESTAMP(3), WATERMARK FOR w AS w) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (v TIMESTAMP(3), WATERMARK FOR v AS v - INTERVAL '1' MONTH) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (v TIMESTAMP(3), WATERMARK FOR v AS v + INTERVAL '1' SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (v TIMESTAMP(3), WATERMARK FOR v AS v, WATERMARK FOR v AS v) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (v INT, p AS PROCTIME(), WATERMARK FOR p AS p) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE event (id BIGINT, ev TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL, WATERMARK FOR ev AS ev - INTERVAL '1' MINUTE) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
SELECT id, ev > TIMESTAMP'2024-01-01 00:00:00' FROM event EMIT CHANGES;

-- Texts with a length beside computed columns.
CREATE TABLE with_length (name VARCHAR(10), code CHAR(2), both_ AS CONCAT(name, code)) WITH (
  'connector' = 'kafka', 'topic' = '${prefix}with_length', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset', 'partitions' = '1');
INSERT INTO with_length VALUES ('seven', 'x7');
SELECT * FROM with_length;
