-- A stream's record without a value goes on without one; conditions, groups and EXPLODE leave it out. No window before 1970.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- topic: ${prefix}s partitions=1
-- record: ${prefix}s key=1 {"G":"x","V":1}
-- record: ${prefix}s key=2 null
-- record: ${prefix}s {"G":"x","V":3}
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
CREATE STREAM s (k INT KEY, g STRING, v INT) WITH (KAFKA_TOPIC = '${prefix}s', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');
CREATE STREAM passed AS SELECT k, v + 1 AS w FROM s;
PRINT '${prefix}PASSED' FROM BEGINNING;
CREATE STREAM filtered AS SELECT k, v FROM s WHERE NOT (v = 1);
PRINT '${prefix}FILTERED' FROM BEGINNING;
CREATE STREAM exploded AS SELECT k, EXPLODE(ARRAY[v, 0]) AS e FROM s;
PRINT '${prefix}EXPLODED' FROM BEGINNING;
CREATE TABLE counted AS SELECT k, COUNT(*) AS n, SUM(v) AS sv, AVG(v) AS av FROM s GROUP BY k;
SELECT * FROM counted;
CREATE STREAM early (k INT KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}early', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO early (ROWTIME, k, v) VALUES (10, 1, 1);
CREATE TABLE hops AS SELECT k, COUNT(*) AS n FROM early WINDOW HOPPING (SIZE 30 SECONDS, ADVANCE BY 10 SECONDS) GROUP BY k;
SELECT k, WINDOWSTART, n FROM hops;
