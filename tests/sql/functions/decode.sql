-- kafka_decode: bytes to values by the tables' codecs, the type known from a schema, a subject or a schema id.
-- avro: ${prefix}orders {"type": "record", "name": "O", "fields": [{"name": "id", "type": "long"}, {"name": "item", "type": ["null", {"type": "record", "name": "I", "fields": [{"name": "sku", "type": "string"}]}]}]}
-- replace: schema id \d+ => schema id n
SELECT kafka_decode(CAST('{"a": 1, "b": ["x", null], "c": 3}' AS BINARY), 'JSON', map('schema', 'a INT, b ARRAY<STRING>')) AS v;
SELECT v.* FROM (SELECT kafka_decode(CAST('{"a": 1}' AS BINARY), 'json', map('SCHEMA', 'STRUCT<a: INT NOT NULL, missing: VARCHAR(3)>')) AS v);
SELECT kafka_decode(CAST('"text"' AS BINARY), 'JSON', map('schema', 'STRING')) AS bare, kafka_decode(CAST('[1, 2]' AS BINARY), 'JSON', map('schema', 'ARRAY<INT>')) AS list;
SELECT kafka_decode(X'0000002A', 'KAFKA', map('schema', 'INT')) AS n, kafka_decode(X'0000002A', 'KAFKA', map('schema', 'id INT')) AS record;
SELECT kafka_decode(NULL, 'KAFKA', map('schema', 'INT')) AS nothing, kafka_decode(CAST(NULL AS BINARY), 'KAFKA', map('schema', 'INT')) AS nothing_too;
SELECT transform(array(X'00000001', X'00000002'), b -> kafka_decode(b, 'KAFKA', map('schema', 'id INT'))) AS each;
SELECT kafka_decode(unhex(h), 'KAFKA', map('schema', 'STRUCT<id: INT>')).id + 1 AS n FROM VALUES ('00000001'), ('00000002'), (NULL) AS t(h);
-- AVRO by a subject: the type is of its latest schema, each value is read by the schema it was written with.
SELECT kafka_decode(kafka_encode(struct(7L AS id, struct('x1' AS sku) AS item), 'AVRO', map('subject', '${prefix}orders-value')), 'AVRO', map('subject', '${prefix}orders-value')) AS o;
SELECT kafka_decode(kafka_encode(struct(7L AS id), 'AVRO', map('subject', '${prefix}orders-value')), 'AVRO', map('schema', 'id BIGINT, more STRING')) AS o;
-- Bad bytes.
SELECT kafka_decode(CAST('{"a": "one"}' AS BINARY), 'JSON', map('schema', 'a INT'));
SELECT kafka_decode(CAST('{"a": "one"}' AS BINARY), 'JSON', map('schema', 'a INT', 'mode', 'FAILFAST'));
SELECT kafka_decode(CAST(j AS BINARY), 'JSON', map('schema', 'a INT', 'mode', 'null')) AS v FROM VALUES ('{"a": "one"}'), ('{"a": 1}'), ('') AS t(j);
SELECT kafka_decode(X'01', 'AVRO', map('schema', 'a INT', 'mode', 'PERMISSIVE')) AS v;
SELECT kafka_decode(X'01', 'AVRO', map('schema', 'a INT'));
-- Refused while the query is analysed.
SELECT kafka_decode(X'01');
SELECT kafka_decode(X'01', 'JSN', map('schema', 'a INT'));
SELECT kafka_decode('text', 'JSON', map('schema', 'a INT'));
SELECT kafka_decode(X'01', f) FROM VALUES ('JSON') AS t(f);
SELECT kafka_decode(X'01', NULL);
SELECT kafka_decode(X'01', 'JSON', 'schema');
SELECT kafka_decode(X'01', 'JSON', map('schema', s)) FROM VALUES ('a INT') AS t(s);
SELECT kafka_decode(X'01', 'JSON');
SELECT kafka_decode(X'01', 'AVRO');
SELECT kafka_decode(X'01', 'JSON', map('shema', 'a INT'));
SELECT kafka_decode(X'01', 'JSON', map('subject', 'x'));
SELECT kafka_decode(X'01', 'JSON', map('schema', 'a INTT'));
SELECT kafka_decode(X'01', 'JSON', map('schema', 'a INTERVAL'));
SELECT kafka_decode(X'01', 'KAFKA', map('schema', 'a INT, b INT'));
SELECT kafka_decode(X'01', 'JSON', map('schema', 'a INT', 'mode', 'maybe'));
SELECT kafka_decode(X'01', 'AVRO', map('subject', '${prefix}none'));
SELECT kafka_decode(X'01', 'AVRO', map('schema.id', '987654'));
SELECT kafka_decode(X'01', 'AVRO', map('schema.id', 'seven'));
SELECT kafka_decode(X'01', 'AVRO', map('subject', 'x', 'schema_id', '7'));
DESCRIBE FUNCTION kafka_decode;
