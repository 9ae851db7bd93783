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
