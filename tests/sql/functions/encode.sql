-- kafka_encode: values to bytes by the tables' codecs; AVRO by a schema of the registry.
-- avro: ${prefix}taken {"type": "record", "name": "T", "fields": [{"name": "id", "type": "int"}]}
-- replace: schema id \d+ => schema id n
SELECT CAST(kafka_encode(struct(1 AS a, 'x' AS b, CAST(NULL AS INT) AS c), 'JSON') AS STRING) AS json, CAST(kafka_encode(named_struct('a b', array(1.5, NULL)), 'JSON') AS STRING) AS nested;
SELECT CAST(kafka_encode(5, 'JSON') AS STRING) AS bare, CAST(kafka_encode(array('x'), 'JSON') AS STRING) AS list, CAST(kafka_encode(struct(5 AS n), 'JSON') AS STRING) AS record;
SELECT kafka_encode(42, 'KAFKA') AS i, kafka_encode(42L, 'KAFKA') AS l, kafka_encode('ü', 'KAFKA') AS s, kafka_encode(struct(42 AS id), 'KAFKA') AS record;
SELECT kafka_encode(CAST(NULL AS INT), 'JSON') AS a, kafka_encode(CAST(NULL AS STRUCT<a: INT>), 'JSON') AS b, kafka_encode(struct(CAST(NULL AS INT) AS a), 'KAFKA') AS c;
SELECT CAST(kafka_encode(id, 'JSON') AS STRING) AS v FROM range(3);
-- A subject that is not there gets the value's own schema; the next one finds it.
SELECT length(kafka_encode(struct(1 AS a, 'x' AS b), 'AVRO', map('subject', '${prefix}new-value'))) AS bytes;
SELECT kafka_decode(kafka_encode(named_struct('a', CAST(id AS INT), 'b', concat('row ', id)), 'AVRO', map('subject', '${prefix}new-value')), 'AVRO', map('subject', '${prefix}new-value')) AS back FROM range(3);
SELECT kafka_decode(kafka_encode(1.5D, 'AVRO', map('subject', '${prefix}bare-key')), 'AVRO', map('subject', '${prefix}bare-key')) AS bare;
-- One that is there is followed.
SELECT hex(kafka_encode(struct(3 AS id), 'AVRO', map('subject', '${prefix}taken-value'))) LIKE '00________06' AS followed;
SELECT kafka_encode(struct(3 AS id, 'lost' AS more), 'AVRO', map('subject', '${prefix}taken-value'));
SELECT kafka_encode(struct('text' AS id), 'AVRO', map('subject', '${prefix}taken-value'));
-- Refused while the query is analysed.
SELECT kafka_encode(struct(1 AS a), 'AVRO');
SELECT kafka_encode(struct(1 AS a), 'AVRO', map('schema', 'a INT'));
SELECT kafka_encode(struct(1 AS a), 'JSON', map('mode', 'null'));
SELECT kafka_encode(struct(1 AS a), 'AVRO', map('schema.id', '987654'));
SELECT kafka_encode(struct(1 AS `a b`), 'AVRO', map('subject', '${prefix}bad-value'));
SELECT kafka_encode(struct(1 AS a, 2 AS b), 'KAFKA');
SELECT kafka_encode(INTERVAL 1 DAY, 'AVRO_NOSR');
SELECT CAST(kafka_encode(INTERVAL 1 DAY, 'JSON') AS STRING) AS millis;
SELECT kafka_encode(1);
DESCRIBE FUNCTION kafka_encode;
