-- Texts in double quotes where functions expect names or units, over a topic that has columns of these names.
-- topic: ${prefix}o partitions=1
-- record: ${prefix}o {"id": 1, "qty": 5, "day": "x", "month": 2, "at": "2024-05-06", "string": "s", "v": {"id": 7}, "payload": "{\"id\": 8, \"qty\": [9]}"}
CREATE STREAM o (id INT, qty INT, day STRING, month INT, at STRING, string STRING, v VARIANT, payload STRING)
WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'JSON');
SELECT named_struct("id", id, "qty", "qty") AS s, to_json(map("qty", qty, "id", "id")) AS m FROM o;
SELECT date_trunc("day", to_timestamp(at)) AS day, date_part("day", date(at)) AS part, DATEPART("month", date("at")) AS number, trunc("at", "month") AS month FROM o;
SELECT json_tuple(payload, "id", "qty") FROM o;
SELECT id, a, b FROM o LATERAL VIEW json_tuple("payload", "id", "qty") j AS a, b;
SELECT variant_get(v, "$.id", "string") AS got, try_variant_get(v, "$.id", "string") AS tried FROM o;
SELECT sum("qty") FILTER (WHERE "id" = 1) AS n, map(concat("day", '!'), 2) AS computed, concat("string", 'string') AS text FROM o GROUP BY "day", "string";
SELECT max(named_struct("qty", "qty")) AS most FROM o GROUP BY map("id", "id")["x"];
