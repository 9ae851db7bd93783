-- JSON values of any form are a VARIANT: the whole value, or a part of it. Spark's own functions take them apart.
-- replace: C[ST]AS_[A-Z_0-9]+_\d+ => ${query}
-- replace: \S*/checkpoints/\S+ => ${checkpoint}
-- topic: ${prefix}events partitions=1
-- record: ${prefix}events key=a {"type": "paid", "order": {"id": 1, "lines": [{"sku": "x", "price": 2.50}]}}
-- record: ${prefix}events key=b {"type": "clicked", "at": 1704067200000, "type": "viewed"}
-- record: ${prefix}events key=c [1, "two", null]
-- record: ${prefix}events key=d "a text"
-- record: ${prefix}events key=e null
-- record: ${prefix}events key=f 12345678901234567890123.5
-- record: ${prefix}events key=g {"no": json}
CREATE STREAM events (k STRING KEY, v VARIANT)
  WITH (KAFKA_TOPIC = '${prefix}events', VALUE_FORMAT = 'JSON', WRAP_SINGLE_VALUE = 'false', ON_ERROR = 'null');
SELECT k, v FROM events ORDER BY k;
SELECT k, variant_get(v, '$.type', 'string') AS type,
  variant_get(v, '$.order.lines[0].price', 'decimal(5, 2)') AS price FROM events
  WHERE schema_of_variant(v) LIKE 'OBJECT%' ORDER BY k;
SELECT k, try_variant_get(v, '$[1]', 'string') AS second FROM events WHERE k = 'c';
DESCRIBE events;
CREATE STREAM paid WITH (KAFKA_TOPIC = '${prefix}paid', VALUE_FORMAT = 'JSON') AS
  SELECT k, variant_get(v, '$.order.id', 'bigint') AS id, variant_get(v, '$.order.lines') AS lines FROM events
  WHERE try_variant_get(v, '$.type', 'string') = 'paid';
SELECT * FROM paid;
INSERT INTO paid VALUES ('h', 2, parse_json('[{"sku": "y"}]')), ('i', 3, NULL), ('j', 4, CAST('z' AS VARIANT));
INSERT INTO paid SELECT 'l', 5, to_variant_object(named_struct('day', DATE '2024-01-01', 'bytes', X'01'));
INSERT INTO paid VALUES ('m', 6, 'not cast');
CREATE STREAM written (k STRING KEY, json STRING) WITH (KAFKA_TOPIC = '${prefix}paid', VALUE_FORMAT = 'KAFKA');
SELECT * FROM written ORDER BY k;
CREATE TABLE last_order WITH (KAFKA_TOPIC = '${prefix}last', VALUE_FORMAT = 'JSON') AS
  SELECT k, LATEST_BY_OFFSET(lines) AS lines FROM paid GROUP BY k;
SELECT k, lines FROM last_order ORDER BY k;
CREATE STREAM nested (id INT, part STRUCT<a VARIANT, b ARRAY<VARIANT>, c MAP<STRING, VARIANT>>)
  WITH (KAFKA_TOPIC = '${prefix}nested', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO nested SELECT 1,
  named_struct('a', parse_json('{"x": 1}'), 'b', array(parse_json('2'), NULL), 'c', map('y', parse_json('[3]')));
SELECT id, variant_get(part.a, '$.x', 'int') AS x, part FROM nested;
CREATE STREAM joined WITH (KAFKA_TOPIC = '${prefix}joined') AS
  SELECT e.k AS k, e.v AS v, l.lines AS lines FROM events e JOIN last_order l ON e.k = l.k;
CREATE STREAM keyed (k VARIANT KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}keyed', FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM avro (v VARIANT) WITH (KAFKA_TOPIC = '${prefix}avro', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
CREATE STREAM text (v VARIANT) WITH (KAFKA_TOPIC = '${prefix}text', VALUE_FORMAT = 'DELIMITED', PARTITIONS = 1);
