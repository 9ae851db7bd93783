-- ksqlDB's limits of COLLECT_LIST and COLLECT_SET, over streams and over tables, which take values away; a null key and tombstones in PARTITION BY.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- conf: ksql.functions.collect_list.limit=2
-- conf: ksql.functions.collect_set.limit=1
-- topic: ${prefix}t partitions=1
-- record: ${prefix}t key=1 {"G":"x","V":1}
-- record: ${prefix}t key=2 {"G":"x","V":2}
-- record: ${prefix}t key=3 {"G":"x","V":3}
-- record: ${prefix}t key=1 null
-- topic: ${prefix}s partitions=1
-- record: ${prefix}s key=1 {"G":"x","V":1}
-- record: ${prefix}s key=2 null
-- record: ${prefix}s key=3 {"G":null,"V":3}
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
CREATE STREAM s (k INT KEY, g STRING, v INT) WITH (KAFKA_TOPIC = '${prefix}t', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');
CREATE TABLE t (k INT PRIMARY KEY, g STRING, v INT) WITH (KAFKA_TOPIC = '${prefix}t', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');
CREATE TABLE of_stream AS SELECT g, COLLECT_LIST(v) AS l, COLLECT_SET(v) AS d FROM s GROUP BY g;
SELECT * FROM of_stream;
CREATE TABLE of_table AS SELECT g, COLLECT_LIST(v) AS l FROM t GROUP BY g;
SELECT * FROM of_table;
SET ksql.functions.collect_list.limit = -1;
CREATE TABLE unlimited AS SELECT g, COLLECT_LIST(v) AS l FROM s GROUP BY g;
SELECT * FROM unlimited;
SET ksql.functions.collect_list.limit = x;
CREATE TABLE wrong AS SELECT g, COLLECT_LIST(v) AS l FROM s GROUP BY g;
-- A record without a value is written again under its new key, which only its old key can give.
CREATE STREAM n (k INT KEY, g STRING, v INT) WITH (KAFKA_TOPIC = '${prefix}s', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');
CREATE STREAM by_key AS SELECT k + 1 AS k1, g, v FROM n PARTITION BY k + 1;
PRINT '${prefix}BY_KEY' FROM BEGINNING;
CREATE STREAM by_value AS SELECT g, v FROM n PARTITION BY g;
PRINT '${prefix}BY_VALUE' FROM BEGINNING;
CREATE STREAM by_either AS SELECT COALESCE(g, 'none') AS h, v FROM n PARTITION BY COALESCE(g, 'none');
PRINT '${prefix}BY_EITHER' FROM BEGINNING;
-- A key of nulls is null in PROTOBUF, whose plain fields would be 0 and ''.
CREATE STREAM two (a INT, b STRING, v INT) WITH (KAFKA_TOPIC = '${prefix}two', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO two (v) VALUES (1);
CREATE STREAM nulls WITH (KEY_FORMAT = 'PROTOBUF') AS SELECT a, b, v FROM two PARTITION BY a, b;
SELECT a, b, v FROM nulls;
PRINT '${prefix}NULLS' FROM BEGINNING;
CREATE STREAM told WITH (KEY_FORMAT = 'PROTOBUF', KEY_PROTOBUF_NULLABLE_REPRESENTATION = 'OPTIONAL') AS SELECT a, b, v FROM two PARTITION BY a, b;
SELECT a, b, v FROM told;
