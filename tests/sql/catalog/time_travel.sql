-- A topic as it was, by offsets and by time.
-- topic: ${prefix}t partitions=1
-- record: ${prefix}t key=a {"v": 1}
-- record: ${prefix}t key=b {"v": 2}
-- record: ${prefix}t key=a {"v": 3}
CREATE STREAM kafka.${prefix}t (k STRING KEY, v INT) WITH (VALUE_FORMAT = 'JSON');
SELECT * FROM kafka.${prefix}t ORDER BY v;
SELECT * FROM kafka.${prefix}t VERSION AS OF 'partition:0,offset:2' ORDER BY v;
SELECT count(*) FROM kafka.${prefix}t TIMESTAMP AS OF '2001-01-01';
SELECT count(*) FROM kafka.${prefix}t TIMESTAMP AS OF current_timestamp();
DROP STREAM kafka.${prefix}t;
CREATE TABLE kafka.${prefix}t (k STRING PRIMARY KEY, v INT) WITH (VALUE_FORMAT = 'JSON');
SELECT * FROM kafka.${prefix}t ORDER BY k;
SELECT * FROM kafka.${prefix}t VERSION AS OF 'partition:0,offset:2' ORDER BY k;
SELECT * FROM kafka.${prefix}t VERSION AS OF 'partition:0,offset:9';
SELECT * FROM kafka.${prefix}t VERSION AS OF 7;
SELECT * FROM kafka.${prefix}t VERSION AS OF 'yesterday';
DROP TABLE kafka.${prefix}t;
-- Its edges, in each way of writing it.
CREATE STREAM kafka.${prefix}t (k STRING KEY, v INT) WITH (VALUE_FORMAT = 'JSON');
SELECT v FROM kafka.${prefix}t FOR VERSION AS OF 'partition:0,offset:1';
SELECT count(*) FROM kafka.${prefix}t FOR SYSTEM_TIME AS OF current_timestamp();
SELECT count(*) FROM kafka.${prefix}t TIMESTAMP AS OF (SELECT current_timestamp());
SELECT count(*) FROM kafka.${prefix}t TIMESTAMP AS OF '2999-01-01';
SELECT count(*) FROM kafka.${prefix}t VERSION AS OF 'partition:0,offset:0';
SELECT a.v FROM kafka.${prefix}t VERSION AS OF 'partition:0,offset:1' a JOIN kafka.${prefix}t b ON a.v = b.v;
SELECT * FROM kafka.${prefix}t VERSION AS OF 'partition:5,offset:0';
SELECT * FROM kafka.${prefix}t VERSION AS OF 'partition:0,offset:-1';
SELECT * FROM kafka.${prefix}t TIMESTAMP AS OF NULL;
SELECT * FROM kafka.${prefix}t WITH ('versionAsOf' = 'partition:0,offset:1');
SELECT * FROM kafka.${prefix}t WITH ('versionAsOf' = 'partition:0,offset:1', 'timestampAsOf' = '2001-01-01');
DROP STREAM kafka.${prefix}t;
