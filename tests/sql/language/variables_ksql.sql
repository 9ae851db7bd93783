-- With variables, a ${name} of none of them stays in the texts of queries into topics, also when they start again.
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z]+_\d+|INSERTQUERY_\d+ => ${query}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
CREATE STREAM s (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1, 'one');
DEFINE fmt = 'JSON';
CREATE STREAM texts WITH (VALUE_FORMAT = '${fmt}') AS SELECT k, '${unknown}' AS unknown, '$${fmt}' AS escaped, '${fmt}' AS known, v FROM s WHERE v <> '${unknown}';
INSERT INTO texts WITH (QUERY_ID = 'into_texts') SELECT k, '${unknown}' + '!' AS unknown, '$${fmt}' AS escaped, '${fmt}' AS known, v FROM s;
PRINT '${prefix}TEXTS';
SELECT '${unknown}' AS unknown, v FROM s EMIT CHANGES LIMIT 1;
PAUSE into_texts;
INSERT INTO s VALUES (2, 'two');
DEFINE fmt = 'AVRO';
RESUME ALL;
PRINT '${prefix}TEXTS';
