-- Topics without a definition, whose columns come from schemas of each type and of either side.
-- topic: ${prefix}i.json partitions=1
-- schema: json ${prefix}i.json-value JSON {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "title": "Order", "properties": {"id": {"type": "integer"}, "item": {"type": "string"}}, "required": ["id"]}
-- topic: ${prefix}i.proto partitions=1
-- schema: proto ${prefix}i.proto-value PROTOBUF syntax = "proto3"; message Order { int32 id = 1; string item = 2; }
-- topic: ${prefix}i.keyed partitions=1
-- schema: keyed ${prefix}i.keyed-key {"type": "record", "name": "K", "fields": [{"name": "region", "type": "string"}, {"name": "id", "type": "int"}]}
-- topic: ${prefix}i.bare partitions=1
-- schema: bare_key ${prefix}i.bare-key "long"
-- schema: bare ${prefix}i.bare-value "string"
-- topic: ${prefix}i.list partitions=1
-- schema: list ${prefix}i.list-value {"type": "array", "items": "int"}
-- topic: ${prefix}i.json_bare partitions=1
-- schema: json_bare ${prefix}i.json_bare-value JSON {"$schema": "http://json-schema.org/draft-07/schema#", "type": "integer"}
-- topic: ${prefix}i.both partitions=1
-- schema: both_key ${prefix}i.both-key {"type": "record", "name": "K", "fields": [{"name": "id", "type": "int"}]}
-- schema: both ${prefix}i.both-value {"type": "record", "name": "V", "fields": [{"name": "id", "type": "int"}]}
DESCRIBE TABLE kafka.${prefix}i.json;
INSERT INTO kafka.${prefix}i.json VALUES (X'6B', 1, 'nut');
INSERT INTO kafka.${prefix}i.json (id) VALUES (2);
SELECT * FROM kafka.${prefix}i.json ORDER BY id;
DESCRIBE TABLE kafka.${prefix}i.proto;
INSERT INTO kafka.${prefix}i.proto VALUES (X'6B', 1, 'nut');
SELECT * FROM kafka.${prefix}i.proto;
DESCRIBE TABLE kafka.${prefix}i.keyed;
INSERT INTO kafka.${prefix}i.keyed VALUES ('eu', 1, X'76');
INSERT INTO kafka.${prefix}i.keyed (id, ROWVAL) VALUES (2, X'77');
SELECT region, id, CAST(ROWVAL AS STRING) AS v FROM kafka.${prefix}i.keyed ORDER BY id;
SELECT ROWKEY.region FROM kafka.${prefix}i.keyed ORDER BY 1;
DESCRIBE TABLE kafka.${prefix}i.bare;
INSERT INTO kafka.${prefix}i.bare VALUES (1, 'one');
SELECT * FROM kafka.${prefix}i.bare;
SHOW CREATE TABLE kafka.${prefix}i.bare AS KSQLDB;
DESCRIBE TABLE kafka.${prefix}i.list;
INSERT INTO kafka.${prefix}i.list VALUES (NULL, array(1, 2));
SELECT ROWVAL[1] AS second FROM kafka.${prefix}i.list;
DESCRIBE TABLE kafka.${prefix}i.json_bare;
INSERT INTO kafka.${prefix}i.json_bare VALUES (NULL, 5);
SELECT ROWVAL FROM kafka.${prefix}i.json_bare;
SHOW STREAMS IN kafka.${prefix}i;
-- Flink's text, by which FIRST and AFTER change a table, has no such columns.
SHOW CREATE TABLE kafka.${prefix}i.both AS FLINK;
ALTER TABLE kafka.${prefix}i.both ADD COLUMN c INT FIRST;
ALTER TABLE kafka.${prefix}i.both ADD COLUMN c INT;
SELECT * FROM kafka.${prefix}i.both;
