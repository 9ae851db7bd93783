-- Flink's patterns of names: SHOW TABLES and SHOW VIEWS, [NOT] LIKE with % and _.
CREATE TABLE ta_1 (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'PARTITIONS' = '1');
CREATE TABLE tab1 (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE `tä` (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE VIEW vt AS SELECT id FROM ta_1;
SHOW TABLES LIKE 't_%';
SHOW TABLES FROM golden LIKE '%ä';
SHOW TABLES IN golden NOT LIKE 'ta%';
SHOW VIEWS LIKE 'v%';
SHOW VIEWS NOT LIKE 'v%';
SHOW TABLES FROM nosuch NOT LIKE 'a';
-- Spark's patterns are as they were.
SHOW TABLES LIKE 'ta*';
