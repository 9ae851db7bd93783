-- ksqlDB's words that are not reserved ones are names, as are names that begin with digits; Spark takes `2d` for a number.
-- replace: (C[ST]AS_[A-Z0-9_]+|INSERTQUERY)_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
CREATE STREAM if (partition INT KEY, if INT, 2y INT, 3d STRUCT<2d INT, a@b INT, 4th INT>) WITH (KAFKA_TOPIC = '${prefix}if', FORMAT = 'JSON', PARTITIONS = 1);
DESCRIBE if;
INSERT INTO if (partition, if, 2y, 3d) VALUES (1, 2, 3, STRUCT(2d := 4, a@b := 5, 4th := 6));
CREATE STREAM 5l AS SELECT partition, if.if AS 6s, 2y + 1 AS 7f, 3d->2d, 3d->a@b, 3d->4th, CAST(3d AS STRUCT<2d BIGINT>)->2d AS 8bd FROM if;
SELECT * FROM `5L`;
CREATE STREAM session AS SELECT partition.if AS string, 2y AS integer FROM if partition PARTITION BY partition.if;
SELECT * FROM session;
CREATE STREAM set AS SELECT partition, if, 2y FROM if WHERE partition > 0 PARTITION BY partition, if;
CREATE TABLE map AS SELECT partition, COUNT(if) AS if FROM if GROUP BY partition;
SELECT * FROM map;
DROP STREAM IF EXISTS nothing;
DROP STREAM 5l;
CREATE STREAM emitted (select INT KEY) WITH (KAFKA_TOPIC = '${prefix}if', FORMAT = 'JSON');
CREATE STREAM IF NOT EXISTS if (partition INT KEY, if INT) WITH (KAFKA_TOPIC = '${prefix}if', FORMAT = 'JSON');
