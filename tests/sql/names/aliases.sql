-- Aliases that are also the names of columns: as in Spark, `a.b` is column b of a relation a before it is a field of a column a.
-- topic: ${prefix}t
-- record: ${prefix}t key=1 {"id": 1, "A": "x", "a": "y", "s": {"B": 1, "b": 2}, "b": 3}
-- record: ${prefix}t key=2 {"id": 2, "A": "u", "a": "v", "s": {"B": 4, "b": 5}, "b": 6}

CREATE STREAM t (k STRING KEY, id INT, `A` STRING, `a` STRING, s STRUCT<`B` INT, `b` INT>, b INT)
WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', KEY_FORMAT = 'KAFKA');

SELECT a.`A`, c.`a` FROM t a JOIN t c ON a.`a` = c.`a` ORDER BY a.id;

SELECT a.id, a.`a` FROM t a ORDER BY id;

-- The column b, and fields of s.
SELECT s.b, s.s.`b`, s.s.`B` FROM t s ORDER BY s.id;

SELECT s.`b`, s.`B` FROM t ORDER BY id;
