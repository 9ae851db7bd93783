-- Continuous queries: sinks inherit formats and keys, and are streams of their own.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- replace: schema id \| \d+ => schema id | n
-- replace: Did you mean "(g[0-9a-f]{8}_|\$\{prefix\})[^"]*"\? ? => 
CREATE STREAM s (k INT KEY, a STRING, b DOUBLE) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', PARTITIONS = 2);
INSERT INTO s VALUES (1, 'x', 1.5), (2, 'y', 2.5), (NULL, 'z', NULL);
CREATE STREAM keyed AS SELECT k, upper(a) AS a, b * 2 AS dbl FROM s WHERE b IS NOT NULL;
SELECT * FROM keyed;
DESCRIBE keyed EXTENDED;
CREATE STREAM renamed WITH (VALUE_FORMAT = 'JSON') AS SELECT k AS "the key", a AS "an a" FROM s;
SELECT * FROM renamed;
DESCRIBE renamed;
CREATE STREAM keyless AS SELECT a, b FROM s PARTITION BY NULL;
DESCRIBE keyless EXTENDED;
CREATE STREAM keyed AS SELECT * FROM s;
CREATE STREAM wrong AS SELECT k, a, a FROM s;
CREATE STREAM wrong AS SELECT k, a AS "an a" FROM s;
CREATE STREAM wrong AS SELECT nope FROM s;
CREATE STREAM wrong AS SELECT 1 AS one;
CREATE STREAM wrong AS SELECT k, NULL AS n, a FROM s;
PRINT '${prefix}wrong';
SHOW STREAMS;
