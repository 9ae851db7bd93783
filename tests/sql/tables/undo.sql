-- Groups of a table take back what its rows were: every change counts, and a group of no rows stays.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- topic: ${prefix}t partitions=1
-- record: ${prefix}t key=1 {"G":"x","V":1,"D":2.0}
-- record: ${prefix}t key=2 {"G":"y","V":2,"D":1.0}
-- record: ${prefix}t key=3 {"G":"x","V":5,"D":4.0}
-- record: ${prefix}t key=4 {"G":"x","V":null,"D":null}
-- record: ${prefix}t key=5 {"G":"x","V":9,"D":9.0}
-- record: ${prefix}t key=2 null
-- record: ${prefix}t key=5 {"G":"x","V":7,"D":9.5}
-- record: ${prefix}t {"G":"x","V":100,"D":1.0}
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE TABLE t (k INT PRIMARY KEY, g STRING, v INT, d DOUBLE) WITH (KAFKA_TOPIC = '${prefix}t', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');
CREATE TABLE grouped AS SELECT g, COUNT(*) AS n, COUNT(v) AS nv, SUM(v) AS s, AVG(v) AS a, COLLECT_LIST(v) AS l, HISTOGRAM(CAST(v AS STRING)) AS h, SUM_LIST(ARRAY[v, v]) AS sl, ATTR(g) AS one, ATTR(v) AS none, ROUND(STDDEV_SAMP(v), 6) AS var, ROUND(STDDEV_SAMPLE(v), 6) AS sd, ROUND(CORRELATION(v, d), 6) AS c FROM t GROUP BY g;
SELECT * FROM grouped;
CREATE TABLE kept AS SELECT * FROM t WHERE v > 1;
SELECT * FROM kept;
CREATE TABLE e AS SELECT g, MIN(v) AS x FROM t GROUP BY g;
CREATE TABLE e AS SELECT g, MAX(v) AS x FROM t GROUP BY g;
CREATE TABLE e AS SELECT g, TOPK(v, 2) AS x FROM t GROUP BY g;
CREATE TABLE e AS SELECT g, TOPKDISTINCT(v, 2) AS x FROM t GROUP BY g;
CREATE TABLE e AS SELECT g, COLLECT_SET(v) AS x FROM t GROUP BY g;
CREATE TABLE e AS SELECT g, LATEST_BY_OFFSET(v) AS x FROM t GROUP BY g;
CREATE TABLE e AS SELECT g, EARLIEST_BY_OFFSET(v, 2) AS x FROM t GROUP BY g;
CREATE TABLE e AS SELECT g, COUNT_DISTINCT(v) AS x FROM t GROUP BY g;
CREATE TABLE e AS SELECT g, COUNT(DISTINCT v) AS x FROM t GROUP BY g;
CREATE TABLE e AS SELECT g, COUNT(*) AS x FROM t WINDOW TUMBLING (SIZE 1 SECOND) GROUP BY g;
