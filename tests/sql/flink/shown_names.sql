-- Flink's NOT LIKE of SHOW TABLES and SHOW VIEWS, with % and _. LIKE is Spark's, whose pattern has * and |.
CREATE TABLE ta_1 (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'PARTITIONS' = '1');
CREATE TABLE tab1 (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE `tä` (id INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE VIEW vt AS SELECT id FROM ta_1;
SHOW TABLES NOT LIKE 't_%';
SHOW TABLES IN golden NOT LIKE 'ta%';
SHOW VIEWS NOT LIKE 'v%';
SHOW TABLES FROM nosuch NOT LIKE 'a';
SHOW TABLES LIKE 'ta%';
SHOW TABLES LIKE 'ta*';
