-- NOT NULL holds for what is written: by INSERT, by queries, after ALTER. What is read may lack it.
-- replace: INSERTQUERY_\d+ => ${query}
-- replace: schema id \d+ => schema id ${id}
CREATE STREAM s (id BIGINT KEY, name STRING NOT NULL COMMENT 'who', n INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO s VALUES (1, NULL, 1);
INSERT INTO s (id, n) VALUES (1, 1);
INSERT INTO s VALUES (1, 'a', NULL);
SELECT * FROM s;
-- A query's row is named by the record it was made from.
CREATE STREAM source (id BIGINT KEY, name STRING) WITH (KAFKA_TOPIC = '${prefix}source', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO source VALUES (2, 'b'), (3, NULL);
INSERT INTO s SELECT id, name, 2 AS n FROM source WHERE id > 2 EMIT CHANGES;
INSERT INTO s SELECT id, name, 2 AS n FROM (SELECT * FROM source WHERE id > 2 ORDER BY id LIMIT 5);
-- A group is made from several records.
INSERT INTO s SELECT id, max(name), 2 AS n FROM source WHERE id > 2 GROUP BY id;
-- Columns that are added have their NOT NULL and their comment, too.
ALTER STREAM s ADD COLUMN city STRING NOT NULL COMMENT 'where';
INSERT INTO s (id, name) VALUES (4, 'd');
INSERT INTO s VALUES (4, 'd', 4, 'Bonn');
SELECT * FROM s;
DESCRIBE s;
SHOW CREATE STREAM s AS FLINK;
-- A tombstone has no values.
CREATE TABLE t (id BIGINT PRIMARY KEY, name STRING NOT NULL) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
DELETE FROM t WHERE id = 1;
SELECT * FROM t;
