-- Texts in queries into topics: a backslash escapes only where ESCAPE says so, and || skips nulls, as CONCAT.
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z]+_\d+ => ${query}
CREATE STREAM s (k INT KEY, t STRING, z STRING, b BYTES, a ARRAY<INT>) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1, 'a%b', NULL, NULL, ARRAY[1]);
INSERT INTO s VALUES (2, 'a_b', 'x', 'aGk=', NULL);
INSERT INTO s VALUES (3, 'a\b', '', NULL, NULL);
CREATE STREAM joined AS SELECT k, t || z AS two, t || '-' || z || '!' AS several, z || NULL AS same, NULL || NULL AS nothing, b || b AS bytes, CONCAT(NULL, b) AS one, t + z AS plus, a || a AS arrays FROM s;
DESCRIBE joined;
SELECT * FROM joined ORDER BY k;
CREATE STREAM wrong AS SELECT k, t || k AS v FROM s;
-- The last statement: Spark would not end a text with a backslash, nor do scripts.
SELECT k, t LIKE 'a\%b' AS plain, t LIKE 'a\%b' ESCAPE '\' AS percent, t NOT LIKE 'a\_b' ESCAPE '\' AS no_bar, t LIKE 'a\\b' escape  '\' AS itself, t LIKE 'a!_b' ESCAPE '!' AS other FROM s WHERE t LIKE '%\_%' ESCAPE '\' OR t LIKE 'a\%' OR t LIKE 'a\%%' ESCAPE '\' EMIT CHANGES LIMIT 3;
