-- The rules of a statement and the case of its names are two settings; the second follows the first where it is not set.
-- replace: (C[ST]AS_[A-Z_]+|INSERTQUERY)_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- conf: spark.kafkalyst.dialect=ksqldb
CREATE STREAM folded (Id INT KEY, Word STRING) WITH (KAFKA_TOPIC = '${prefix}folded', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO folded VALUES (1, 'one');
SELECT * FROM folded;
CREATE STREAM refused AS SELECT * FROM (SELECT id, word FROM folded);
SET spark.kafkalyst.identifiers=preserve;
CREATE STREAM kept (Id INT KEY, Word STRING) WITH (KAFKA_TOPIC = '${prefix}kept', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO kept VALUES (2, 'two');
SELECT * FROM kept;
CREATE STREAM refused AS SELECT * FROM (SELECT Id, Word FROM kept);
SET spark.kafkalyst.dialect=spark;
SET spark.kafkalyst.identifiers=upper;
CREATE STREAM inner AS SELECT * FROM (SELECT id, word FROM folded);
SELECT * FROM inner;
SET spark.kafkalyst.dialect=flink;
SELECT * FROM inner;
