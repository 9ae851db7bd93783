-- What ksqlDB's functions and operators take, where Spark's take more.
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (C[ST]AS|INSERTQUERY)_?[A-Z0-9_]*_\d+ => ${query}
-- replace: (?:(?<=\b0 \| \d \| )|(?<=\b0 \| \d\d \| ))\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${now}
CREATE STREAM s (k INT KEY, j STRING, a ARRAY<INT>)
  WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1, '[1, [2]]', ARRAY[1, 2]);
INSERT INTO s VALUES (2, '{"b": 1, "a": 2, "b": 3}', ARRAY[1, NULL]);
INSERT INTO s VALUES (3, '[''x'']', ARRAY[0]);
INSERT INTO s VALUES (4, '{''x'': 1}', NULL);
INSERT INTO s VALUES (5, '[1] x', NULL);
INSERT INTO s VALUES (6, '[1', NULL);
-- Only JSON has a length or keys; the sign of NULL fails as other arithmetic does.
CREATE STREAM parts AS SELECT k, JSON_ARRAY_LENGTH(j) AS n, JSON_KEYS(j) AS names, TRANSFORM(a, x => -x) AS negative FROM s;
PRINT '${prefix}PARTS';
CREATE STREAM bad AS SELECT k, JSON_ARRAY_LENGTH(a) AS x FROM s;
