-- What is not a text but is read into a STRING column: plain numbers and booleans of AVRO, any value of JSON.
-- topic: ${prefix}a partitions=1
-- avro: ${prefix}a {"type":"record","name":"R","fields":[{"name":"i","type":"int"},{"name":"l","type":["null","long"]},{"name":"f","type":"float"},{"name":"d","type":"double"},{"name":"b","type":"boolean"},{"name":"a","type":{"type":"array","items":"int"}}]}
-- record: ${prefix}a {"i": 1, "l": {"long": 2}, "f": 0.5, "d": 100.25, "b": true, "a": [3]}
-- record: ${prefix}a {"i": -1, "l": null, "f": 1.0, "d": 1e21, "b": false, "a": []}
-- topic: ${prefix}j partitions=1
-- record: ${prefix}j {"v": {"b": 1.50, "a": [{"d": 1, "c": null}, "x"], "b": 2}}
-- record: ${prefix}j {"v": [{"b": 1, "a": 2}]}
-- record: ${prefix}j {"v": 1.50}
CREATE STREAM a (i STRING, l STRING, f STRING, d STRING, b STRING, a ARRAY<STRING>) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'AVRO');
SELECT * FROM a;
CREATE STREAM j (v STRING) WITH (KAFKA_TOPIC = '${prefix}j', VALUE_FORMAT = 'JSON');
SELECT * FROM j;
