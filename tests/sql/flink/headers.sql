-- A continuous query into a table with a column of all headers, or of one, writes these and not the source's, too.
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: file:\S*/checkpoints => ${checkpoints}
-- replace: INSERTQUERY_\d+ => ${insert}
CREATE TABLE src (id INT, hl ARRAY<ROW<key STRING, `value` BYTES>> METADATA FROM 'header-list') WITH ('connector' = 'kafka', 'topic' = '${prefix}src', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO src VALUES (1, array(named_struct('key', 'h', 'value', X'01'), named_struct('key', 'h', 'value', X'02')));
CREATE TABLE listed (id INT, hl ARRAY<ROW<key STRING, `value` BYTES>> METADATA FROM 'header-list') WITH ('connector' = 'kafka', 'topic' = '${prefix}listed', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO listed SELECT id, hl FROM src EMIT CHANGES;
SELECT id, transform(hl, h -> concat(h.key, '=', hex(h.value))) FROM listed;
CREATE TABLE mapped (id INT, headers MAP<STRING, BYTES> METADATA) WITH ('connector' = 'kafka', 'topic' = '${prefix}mapped', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO mapped SELECT id, map('m', X'03') FROM src EMIT CHANGES;
CREATE TABLE plain (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}plain', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO plain SELECT id FROM src EMIT CHANGES;
CREATE TABLE mapped_list (hl ARRAY<ROW<key STRING, `value` BYTES>> METADATA FROM 'header-list', id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}mapped', 'format' = 'json');
SELECT id, transform(hl, h -> concat(h.key, '=', hex(h.value))) FROM mapped_list;
CREATE TABLE plain_list (hl ARRAY<ROW<key STRING, `value` BYTES>> METADATA FROM 'header-list', id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}plain', 'format' = 'json');
SELECT id, transform(hl, h -> concat(h.key, '=', hex(h.value))) FROM plain_list;
