-- Topics in plain Spark SQL.
-- topic: ${prefix}q
-- record: ${prefix}q {"id": 1, "name": "a", "n": {"x": 1}, "tags": ["p", "q"]}
-- record: ${prefix}q {"ID": 2, "name": null, "n": null, "tags": []}
-- record: ${prefix}q {"id": 3, "extra": [1, {"deep": true}]}
CREATE STREAM q (id INT, name STRING, n STRUCT<x: INT>, tags ARRAY<STRING>) WITH (KAFKA_TOPIC = '${prefix}q', VALUE_FORMAT = 'JSON');
SELECT * FROM q;
SELECT count(*) FROM q;
SELECT x.id, y.name FROM q x JOIN q y ON x.id = y.id + 1;
WITH c AS (SELECT id * 10 AS ten FROM q) SELECT sum(ten) FROM c;
SELECT id FROM q WHERE id IN (SELECT max(id) FROM q);
SELECT id, row_number() OVER (ORDER BY id DESC) AS rn FROM q ORDER BY id;
SELECT id, tag FROM q LATERAL VIEW explode(tags) AS tag;
SELECT id FROM q UNION ALL SELECT -id FROM q;
SELECT transform(tags, t -> upper(t)) FROM q WHERE size(tags) > 0;
CREATE TEMPORARY VIEW v AS SELECT id, name FROM q;
SELECT * FROM v;
DROP VIEW v;
SELECT id FROM q EMIT CHANGES;
SELECT id FROM STREAM q;
SELECT n->x FROM STREAM q;
SELECT s.id, b.name FROM STREAM q AS s JOIN q AS b ON s.id = b.id;
SELECT stream.id FROM q AS stream;
DROP STREAM q;
