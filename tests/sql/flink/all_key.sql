-- Tables whose columns are all in the key, and where reads begin: `latest-offset` for what ends is said, a start that is gone refused.
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
CREATE TABLE upserts (a INT, b STRING, PRIMARY KEY (a, b) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}u', 'key.format' = 'json', 'value.format' = 'json', 'PARTITIONS' = '1');
INSERT INTO upserts VALUES (1, 'x'), (1, 'x'), (2, 'y');
SELECT * FROM upserts ORDER BY a;
PRINT '${prefix}u' FROM BEGINNING;
CREATE TABLE inner_only (a INT, b STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}e', 'key.format' = 'json', 'value.format' = 'json', 'key.fields' = 'a;b', 'value.fields-include' = 'EXCEPT_KEY', 'PARTITIONS' = '1');
INSERT INTO inner_only VALUES (1, 'x');
SELECT * FROM inner_only;
PRINT '${prefix}e';
CREATE TABLE both_sides (a INT, b STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}a', 'key.format' = 'json', 'value.format' = 'json', 'key.fields' = 'a;b', 'PARTITIONS' = '1');
INSERT INTO both_sides VALUES (1, 'x');
SELECT * FROM both_sides;
PRINT '${prefix}a';
ALTER TABLE both_sides SET ('scan.startup.mode' = 'latest-offset');
ALTER TABLE both_sides SET ('scan.parallelism' = '1');
SELECT * FROM both_sides;
