-- A SELECT over groups of a table: sums of no rows are 0, and a row may move between groups.
-- conf: spark.kafkalyst.dialect=ksqldb
-- topic: ${prefix}t partitions=1
-- record: ${prefix}t key=1 {"G":"x","V":1,"D":2.0,"M":1.5}
-- record: ${prefix}t key=3 {"G":"x","V":5,"D":4.0,"M":2.5}
-- record: ${prefix}t key=3 {"G":"z","V":null,"D":4.0,"M":2.5}
-- record: ${prefix}t key=1 null
CREATE TABLE t (k INT PRIMARY KEY, g STRING, v INT, d DOUBLE, m DECIMAL(6,2)) WITH (KAFKA_TOPIC = '${prefix}t', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');
SELECT g, COUNT(*) AS n, SUM(v) AS s, AVG(d) AS a, SUM(m) AS sm, SUM(d) AS sd, COLLECT_LIST(v) AS l FROM t GROUP BY g EMIT CHANGES LIMIT 2;
