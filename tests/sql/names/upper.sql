-- ksqlDB's names: unquoted ones fold to upper case, quoted ones are exact.
-- topic: ${prefix}t partitions=1
-- record: ${prefix}t {"ID": 1, "name": "Ann", "s": {"A": 1, "b": 2}}
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
CREATE STREAM t (id INT, `name` STRING, s STRUCT<a INT, "b" INT>) WITH (kafka_topic = '${prefix}t', value_format = 'json');
DESCRIBE t;
SELECT id, "name", s->a, s->`b` FROM t;
SELECT Id AS other, T."name" FROM T;
SELECT "id" FROM t;
SELECT name FROM t;
SELECT s->"a" FROM t;
CREATE STREAM u AS SELECT id, "name", ucase("name"), s->a, s->`b` AS c FROM t PARTITION BY id;
DESCRIBE u;
INSERT INTO t (id, "name") VALUES (2, 'Bob');
INSERT INTO t ("id") VALUES (3);
SELECT * FROM t ORDER BY id;
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- Words of the language are names as others are, within types too.
CREATE STREAM w (s STRUCT<key STRING, headers INT, `topic` INT>, a ARRAY<STRUCT<schema INT>>) WITH (kafka_topic = '${prefix}w', value_format = 'json', partitions = 1);
DESCRIBE w;
INSERT INTO w VALUES (STRUCT(key := 'k', headers := 1, `topic` := 2), ARRAY[STRUCT(schema := 3)]);
CREATE STREAM x AS SELECT s->key, s->`topic`, a[1]->schema, s AS whole FROM w;
SELECT * FROM x;
-- No name is both in key and value of a result, but where the source has it so.
CREATE STREAM y AS SELECT id AS "name", "name" FROM t PARTITION BY id;
