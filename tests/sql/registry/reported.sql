-- What users of ksqlDB reported of schema ids and inference: nested optionals, defaults at the end, headers beside a
-- declared key, letter case, one side declared and the other looked up, words of SQL as names.
-- schema: nested ${prefix}elsewhere {"type":"record","name":"Event","namespace":"x","fields":[{"name":"id","type":"long"},{"name":"Inner","type":["null",{"type":"record","name":"Inner","fields":[{"name":"a","type":["null","int"],"default":null},{"name":"deep","type":["null",{"type":"record","name":"Deep","fields":[{"name":"B","type":["string","null"],"default":"bee"},{"name":"many","type":{"type":"array","items":["null","long"]},"default":[]}]}],"default":null}]}],"default":null},{"name":"list","type":["null",{"type":"array","items":["null","Inner"]}],"default":null},{"name":"byName","type":["null",{"type":"map","values":["null","Deep"]}],"default":null}]}
-- schema: tail ${prefix}tail {"type":"record","name":"Tail","fields":[{"name":"id","type":"long"},{"name":"in","type":["null",{"type":"record","name":"In","fields":[{"name":"x","type":"int"},{"name":"y","type":["null","string"],"default":null},{"name":"z","type":"string","default":"zet"}]}],"default":null},{"name":"at","type":{"type":"long","logicalType":"timestamp-millis"},"default":0},{"name":"flags","type":{"type":"array","items":"string"},"default":["none"]}]}
-- schema: keyed ${prefix}keyed-key {"type":"record","name":"K","fields":[{"name":"Region","type":["null","string"],"default":null},{"name":"no","type":["null","int"],"default":null}]}
-- schema: words ${prefix}words {"type":"record","name":"Words","fields":[{"name":"table","type":["null","string"],"default":null},{"name":"Select","type":["null","int"],"default":null},{"name":"order","type":["null",{"type":"record","name":"Properties","fields":[{"name":"from","type":["null","int"],"default":null}]}],"default":null}]}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- 1. Nested optionals by an id, written, left out in part, read, and reached into.
CREATE STREAM n WITH (KAFKA_TOPIC = '${prefix}n', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = ${id.nested});
DESCRIBE n;
INSERT INTO n VALUES (1, named_struct('a', 1, 'deep', named_struct('B', 'b', 'many', array(1L, NULL))), array(NULL, named_struct('a', NULL, 'deep', NULL)), map('k', NULL));
INSERT INTO n (id) VALUES (2);
INSERT INTO n VALUES (3, named_struct('a', NULL, 'deep', NULL), NULL, map('k', named_struct('B', NULL, 'many', array())));
SELECT * FROM n;
SELECT id, Inner.deep.B AS b, size(list) AS items, byName['k'].B AS k FROM n;
-- 2. The same schema as the sink of a query: nested types count with their case, whether they may be null does not.
CREATE STREAM copy WITH (KAFKA_TOPIC = '${prefix}copy', VALUE_SCHEMA_ID = ${id.nested}) AS SELECT id, Inner, list FROM n;
SELECT * FROM copy;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}e', VALUE_SCHEMA_ID = ${id.nested}) AS SELECT id, named_struct('A', Inner.a, 'deep', Inner.deep) AS Inner FROM n;
-- 3. Defaults at the end, of the record and of a nested one.
CREATE STREAM s (id BIGINT, "in" STRUCT<x INT, y STRING, z STRING>) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO s VALUES (1, named_struct('x', 1, 'y', NULL, 'z', 'z')), (2, NULL);
CREATE STREAM t WITH (KAFKA_TOPIC = '${prefix}t', VALUE_SCHEMA_ID = ${id.tail}) AS SELECT id, `in` FROM s;
CREATE STREAM whole WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO');
SELECT * FROM whole;
-- 4. A declared key and headers beside a value by its id: neither is a column of the value.
CREATE STREAM h (k BIGINT KEY, trace BYTES HEADER('trace'), heads ARRAY<STRUCT<key STRING, value BYTES>> HEADERS) WITH (KAFKA_TOPIC = '${prefix}h', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = ${id.tail});
DESCRIBE h;
INSERT INTO h (k, id, `in`, at, flags) VALUES (7, 1, named_struct('x', 1, 'y', NULL, 'z', 'zz'), TIMESTAMP '2024-01-01 00:00:00', array('f'));
SELECT k, id, `in`, flags, trace, heads FROM h;
CREATE STREAM e (k BIGINT KEY, v INT, trace BYTES HEADER('trace')) WITH (KAFKA_TOPIC = '${prefix}h', VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = ${id.tail});
-- 5. The reverse: the key by its id, all optional, and a declared value.
CREATE STREAM r (v STRING) WITH (KAFKA_TOPIC = '${prefix}r', PARTITIONS = 1, KEY_FORMAT = 'AVRO', VALUE_FORMAT = 'JSON', KEY_SCHEMA_ID = ${id.keyed});
DESCRIBE r;
INSERT INTO r VALUES (named_struct('Region', 'EU', 'no', NULL), 'a'), (NULL, 'b');
SELECT ROWKEY.Region, ROWKEY.no, v FROM r;
-- 6. Letter case: in quotes or not, a field of a schema is found by its name.
SELECT rowkey.region, V FROM r;
INSERT INTO n (ID, inner) VALUES (4, named_struct('a', 4, 'deep', NULL));
SELECT inner.A FROM n WHERE Id = 4;
-- 7. Words of SQL as names.
CREATE STREAM w WITH (KAFKA_TOPIC = '${prefix}w', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = ${id.words});
INSERT INTO w VALUES ('t', 1, named_struct('from', 2));
SELECT `table`, `Select`, `order`.`from` FROM w;
-- 8. A key and no value columns, and no key for a table, are told as that.
CREATE TABLE e WITH (KAFKA_TOPIC = '${prefix}w', VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = ${id.words});
CREATE STREAM e (k BIGINT KEY) WITH (KAFKA_TOPIC = '${prefix}w', VALUE_FORMAT = 'JSON');
