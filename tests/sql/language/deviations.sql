-- The last digits of ksqlDB's deviations, by its own steps.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
-- replace: 202\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${now}
CREATE STREAM d (k INT KEY, g INT, i INT, d DOUBLE, dc DECIMAL(4, 1)) WITH (KAFKA_TOPIC = '${prefix}d', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO d VALUES (1, 1, 1, 1.1, 1.1), (2, 1, 2, 2.2, 2.2), (3, 1, 4, 3.3, 3.3), (4, 1, NULL, 7.7, 9.9), (5, 2, 5, 5.5, 5.5);
CREATE TABLE deviations AS SELECT g, STDDEV_SAMPLE(i) AS i, STDDEV_SAMP(i) AS v, STDDEV_SAMPLE(d) AS d, STDDEV_SAMPLE(dc) AS dc, CORRELATION(i, d) AS c FROM d GROUP BY g;
CREATE STREAM all_of_them (g INT KEY, i DOUBLE, v DOUBLE, d DOUBLE, dc DOUBLE, c DOUBLE) WITH (KAFKA_TOPIC = '${prefix}DEVIATIONS', FORMAT = 'JSON');
SELECT * FROM all_of_them ORDER BY g;
CREATE TABLE t (k INT PRIMARY KEY, g INT, i INT) WITH (KAFKA_TOPIC = '${prefix}d', FORMAT = 'JSON');
CREATE TABLE of_table AS SELECT g, STDDEV_SAMPLE(i) AS i, STDDEV_SAMP(i) AS v, CORRELATION(i, k) AS c FROM t GROUP BY g;
CREATE STREAM of_tables (g INT KEY, i DOUBLE, v DOUBLE, c DOUBLE) WITH (KAFKA_TOPIC = '${prefix}OF_TABLE', FORMAT = 'JSON');
SELECT * FROM of_tables ORDER BY g;
CREATE TABLE sessions AS SELECT g, STDDEV_SAMPLE(i) AS i FROM d WINDOW SESSION (1 HOUR) GROUP BY g;
CREATE STREAM of_sessions (g INT KEY, i DOUBLE) WITH (KAFKA_TOPIC = '${prefix}SESSIONS', FORMAT = 'JSON', WINDOW_TYPE = 'SESSION');
SELECT g, i FROM of_sessions ORDER BY g;
