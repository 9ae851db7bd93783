-- ROWOFFSET, ROWPARTITION and ROWTIME as keys: `*` brings them under their own name, elsewhere they need an alias.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
CREATE STREAM s (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s (ROWTIME, k, v) VALUES (1000, 7, 'a');
INSERT INTO s (ROWTIME, k, v) VALUES (2000, 8, 'b');
CREATE STREAM by_offset AS SELECT * FROM s PARTITION BY ROWOFFSET;
DESCRIBE by_offset;
PRINT '${prefix}BY_OFFSET';
SELECT * FROM by_offset ORDER BY ROWOFFSET;
CREATE STREAM by_partition AS SELECT * FROM s PARTITION BY ROWPARTITION;
PRINT '${prefix}BY_PARTITION';
CREATE STREAM by_time AS SELECT * FROM s PARTITION BY ROWTIME;
DESCRIBE by_time;
PRINT '${prefix}BY_TIME';
CREATE STREAM several WITH (KEY_FORMAT = 'JSON') AS SELECT * FROM s PARTITION BY ROWOFFSET, v;
PRINT '${prefix}SEVERAL';
CREATE STREAM aliased AS SELECT ROWOFFSET AS place, v FROM s PARTITION BY ROWOFFSET;
PRINT '${prefix}ALIASED';
CREATE STREAM computed AS SELECT ROWOFFSET + 10 AS place, v FROM s PARTITION BY ROWOFFSET + 10;
PRINT '${prefix}COMPUTED';
CREATE TABLE grouped AS SELECT ROWPARTITION AS p, COUNT(*) AS n FROM s GROUP BY ROWPARTITION;
PRINT '${prefix}GROUPED';
-- Refused: without an alias, under that name, or from a source that has such a column.
CREATE STREAM bare AS SELECT ROWOFFSET, v FROM s PARTITION BY ROWOFFSET;
CREATE STREAM named AS SELECT v AS ROWOFFSET, k FROM s;
CREATE STREAM declared (ROWOFFSET BIGINT KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}BY_OFFSET', VALUE_FORMAT = 'JSON');
CREATE STREAM again AS SELECT * FROM by_offset;
-- A field of a STRUCT that the query makes is a value, whatever it holds.
CREATE STREAM fields AS SELECT k, STRUCT(z := k)->z AS again FROM s;
SELECT * FROM fields;
