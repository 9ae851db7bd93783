-- Debezium's events: a stream of changes with what the event says of them, a table of the latest rows.
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- topic: ${prefix}p partitions=1
-- record: ${prefix}p {"before":null,"after":{"id":111,"name":"scooter","price":5.15,"ok":1},"source":{"version":"2.7","connector":"mysql","ts_ms":1596030480000,"db":"shop","table":"products","pos":42,"gtid":null},"op":"c","ts_ms":1596030481123,"transaction":null}
-- record: ${prefix}p {"before":null,"after":{"id":112,"name":"lamp","price":7},"source":{"ts_ms":1596030480000,"db":"shop","schema":"public","table":"products"},"op":"r","ts_ms":1596030481124}
-- record: ${prefix}p {"before":{"id":111,"name":"scooter","price":5.15,"ok":1},"after":{"id":111,"name":"big scooter","price":5.18,"ok":0},"source":{"ts_ms":1596030482000,"db":"shop","collection":"products"},"op":"u","ts_ms":1596030482125}
-- record: ${prefix}p {"schema":{"type":"struct"},"payload":{"before":{"id":112,"name":"lamp","price":7},"after":{"id":113,"name":"lamp","price":7},"source":null,"op":"u","ts_ms":1596030483126}}
-- record: ${prefix}p {"before":{"id":113,"name":"lamp","price":7},"after":null,"op":"d","ts_ms":1596030484127}
-- record: ${prefix}p key=113 null
-- record: ${prefix}p {"op":"m","ts_ms":1596030485127,"message":{"prefix":"x","content":"eA=="}}
CREATE STREAM changes (id INT, name STRING, price DECIMAL(10, 2), ok BOOLEAN)
  WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'DEBEZIUM_JSON');
DESCRIBE changes;
SELECT _op, *, ROWOFFSET AS at FROM changes ORDER BY at, _op;
SELECT count(*), count_if(_op = '+U'), sum(price) FROM changes;
SELECT _op, price FROM changes WHERE ROWOFFSET = 2 ORDER BY price;
CREATE STREAM told (
  id INT, kind STRING METADATA FROM 'value.op', place INT METADATA FROM 'value.change',
  met BIGINT METADATA FROM 'value.ingestion-timestamp',
  made TIMESTAMP METADATA FROM 'value.source.timestamp', db STRING METADATA FROM 'value.source.database',
  sch STRING METADATA FROM 'value.debezium-json.source.schema', tab STRING METADATA FROM 'value.source.table',
  props MAP<STRING, STRING> METADATA FROM 'value.source.properties', con STRING METADATA FROM 'value.schema',
  offset BIGINT METADATA VIRTUAL
) WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'debezium_json');
SELECT * EXCEPT (kind, place) FROM told WHERE place = 0 ORDER BY offset;
SELECT kind, place, met, tab FROM told ORDER BY offset, place;
CREATE TABLE products (id INT PRIMARY KEY, name STRING, price DOUBLE)
  WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'DEBEZIUM_JSON');
SELECT * FROM products ORDER BY id;
SELECT name FROM products;
SHOW CREATE TABLE products;
CREATE TABLE by_name AS SELECT name, count(*) AS n, sum(price) AS total FROM products GROUP BY name
  EMIT CHANGES;
SELECT * FROM by_name ORDER BY name;
CREATE TABLE copy WITH (KAFKA_TOPIC = '${prefix}copy', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON') AS SELECT * FROM products EMIT CHANGES;
SELECT * FROM copy ORDER BY id;
INSERT INTO products VALUES (1, 'x', 1.0);
CREATE STREAM keyed (id INT KEY) WITH (KAFKA_TOPIC = '${prefix}p', KEY_FORMAT = 'DEBEZIUM_JSON', VALUE_FORMAT = 'JSON');
CREATE STREAM wrong (id INT, x STRING METADATA FROM 'value.source.tabel') WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'DEBEZIUM_JSON');
CREATE STREAM wrong (id INT, x INT METADATA FROM 'value.source.properties') WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'DEBEZIUM_JSON');
CREATE STREAM wrong (id INT, x INT METADATA FROM 'value.ingestion-timestamp') WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'DEBEZIUM_JSON');
CREATE STREAM wrong (id INT, x STRING METADATA FROM 'value.source.table') WITH (KAFKA_TOPIC = '${prefix}p', VALUE_FORMAT = 'JSON');
SELECT kafka_decode(X'7B7D', 'DEBEZIUM_JSON', map('schema', 'a INT'));
