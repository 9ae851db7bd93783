-- An Avro topic: the columns come from the registry.
-- topic: ${prefix}orders
-- avro: ${prefix}orders {"type":"record","name":"O","fields":[{"name":"id","type":"long"},{"name":"tags","type":{"type":"array","items":"string"}},{"name":"note","type":["null","string"]}]}
-- record: ${prefix}orders {"id": 1, "tags": ["a", "b"], "note": null}
-- record: ${prefix}orders {"id": 2, "tags": [], "note": {"string": "gift"}}
CREATE STREAM orders WITH (KAFKA_TOPIC = '${prefix}orders', VALUE_FORMAT = 'AVRO');
SELECT * FROM orders;
SELECT id, explode(tags) AS tag FROM orders;
DROP STREAM orders;
SELECT * FROM orders;
