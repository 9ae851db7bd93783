-- COUNT without an argument, BYTES split, TOPK of rows without a value.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM s (id INT KEY, v INT, t STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1, 3, 'a.b'), (1, NULL, '.c'), (1, 5, NULL);
CREATE TABLE counted AS SELECT id, COUNT() AS n, TOPK(v, t, 3) AS top FROM s GROUP BY id;
SELECT * FROM counted;
CREATE STREAM parts AS SELECT id, TRANSFORM(SPLIT(TO_BYTES(t, 'utf8'), TO_BYTES('.', 'utf8')), p => FROM_BYTES(p, 'utf8')) AS p FROM s;
SELECT * FROM parts;
CREATE STREAM wrong AS SELECT id, SPLIT(t, TO_BYTES('.', 'utf8')) AS p FROM s;
