-- Texts that end in a backslash, and a column with the name of its source.
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- conf: spark.kafkalyst.identifiers=upper
CREATE STREAM S (K STRING KEY, S STRUCT<S INT, A STRUCT<S INT>>, A INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO S (K, S, A) VALUES ('C:\temp', STRUCT(S := 1, A := STRUCT(S := 2)), 3);
SELECT s->s, s.a, x.s->a->s AS b FROM S x;
SELECT s->s AS f FROM S WHERE s->a->s > 1;
CREATE STREAM T WITH (KAFKA_TOPIC = '${prefix}t') AS SELECT K, S->S, S->A, S->A->S + 1 AS N, S.A AS M, S.S->S AS L FROM S;
SELECT * FROM T;
SELECT K FROM S WHERE K = 'C:\temp';
SELECT s->s, s->a->s FROM S EMIT CHANGES LIMIT 1;
CREATE STREAM U WITH (KAFKA_TOPIC = '${prefix}u') AS SELECT K, CONCAT(K, '\', 'x\') AS V FROM S WHERE K <> '\' PARTITION BY K;
