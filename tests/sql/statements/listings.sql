-- SHOW … LIKE and IN, DESCRIBE TOPIC, COMMENT, CACHE TABLE.
-- conf: spark.sql.catalog.cluster=io.kafkalyst.KafkaCatalog
-- topic: ${prefix}orders partitions=2
-- topic: ${prefix}refunds
-- record: ${prefix}orders key=one {"a": 1}
-- record: ${prefix}orders key=two {"a": 2}
-- record: ${prefix}orders key=two plain
-- record: ${prefix}orders key=two null
-- replace: (?m)^bytes \| \d+$ => bytes | ${bytes}
-- replace: (?m), \d+ bytes$ => , ${bytes} bytes
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${time}
CREATE STREAM orders (k STRING KEY, a INT COMMENT 'how many') COMMENT 'what was ordered' WITH (KAFKA_TOPIC = '${prefix}orders', VALUE_FORMAT = 'JSON', ON_ERROR = 'skip');
CREATE STREAM refunds (a INT) WITH (KAFKA_TOPIC = '${prefix}refunds', VALUE_FORMAT = 'JSON');
CREATE TABLE totals (k STRING PRIMARY KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}orders', VALUE_FORMAT = 'JSON', ON_ERROR = 'skip');
SHOW STREAMS LIKE 'ord*';
SHOW STREAMS LIKE '%fund%';
SHOW STREAMS IN golden LIKE 'orders|refunds';
CREATE SCHEMA golden_empty;
SHOW STREAMS IN golden_empty;
DROP SCHEMA golden_empty;
SHOW STREAMS IN nowhere;
LIST TABLES FROM golden LIKE 't*';
SHOW TOPICS LIKE '${prefix}o*';
SHOW TOPICS EXTENDED IN cluster LIKE '${prefix}*';
SHOW TOPICS IN golden;
SHOW TOPICS NEAR golden;
SHOW STREAMS ALIKE 'x';
SHOW QUERIES LIKE 'CSAS_*';
DESCRIBE TOPIC '${prefix}orders';
DESC TOPIC ${prefix}refunds;
DESCRIBE TOPIC ${prefix}nowhere;
CREATE TABLE topic (c INT) USING parquet;
DESCRIBE topic c;
DROP TABLE topic;
DESCRIBE orders EXTENDED;
COMMENT ON TABLE orders IS 'what was ordered, and when';
ALTER STREAM orders ADD COLUMN b INT;
DESCRIBE orders EXTENDED;
COMMENT ON TABLE orders IS NULL;
COMMENT ON TABLE cluster.${prefix}refunds IS 'what went back';
DESCRIBE EXTENDED cluster.${prefix}refunds;
CACHE TABLE orders;
-- Rows of a moment under a name of their own.
INSERT INTO orders (k, a) VALUES (1, 5), (2, 6);
CACHE TABLE kept AS SELECT count(*) AS n FROM orders WHERE a > 1;
CREATE VIEW big AS SELECT * FROM orders WHERE a > 1;
CACHE TABLE big;
CACHE LAZY TABLE `kept.lazily` OPTIONS ('storageLevel' = 'disk_only') AS WITH b AS (SELECT * FROM big) SELECT count(*) AS n FROM b;
INSERT INTO orders (k, a) VALUES (3, 7);
SELECT * FROM kept;
SELECT * FROM `kept.lazily`;
INSERT INTO orders (k, a) VALUES (4, 8);
SELECT * FROM `kept.lazily`;
UNCACHE TABLE kept;
SELECT * FROM kept;
CACHE TABLE bad OPTIONS ('storageLevel' = 'NOWHERE') AS SELECT * FROM orders;
CACHE TABLE bad AS SELECT 1 AS n;
DROP VIEW kept;
DROP VIEW bad;
DROP VIEW `kept.lazily`;
DROP VIEW big;
CACHE TABLE numbers AS SELECT 1 AS n;
