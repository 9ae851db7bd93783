-- ALTER STREAM … RENAME, where reads without end begin, and what SHOW TOPICS EXTENDED adds.
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (?m)^(?!\$\{prefix\}).* \| \d+ \| \d+ \| [a-z,]+ \| .*\n =>
CREATE STREAM s (a INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO s VALUES (1), (2);
ALTER STREAM s RENAME TO t;
SELECT * FROM t;
SELECT * FROM s;
ALTER STREAM t RENAME;
ALTER STREAM t MOVE TO x;
ALTER TABLE t RENAME TO "s";
ALTER STREAM nothing RENAME TO x;
SET 'auto.offset.reset' = 'latest';
CREATE STREAM late WITH (KAFKA_TOPIC = '${prefix}late') AS SELECT a FROM t;
SELECT * FROM late;
SELECT * FROM t;
SET 'auto.offset.reset' = 'earliest';
CREATE STREAM early WITH (KAFKA_TOPIC = '${prefix}early') AS SELECT a FROM t;
SELECT * FROM early;
ALTER STREAM t RENAME TO s;
SET 'auto.offset.reset' = 'never';
CREATE STREAM x WITH (KAFKA_TOPIC = '${prefix}x') AS SELECT a FROM t;
UNSET 'auto.offset.reset';
TRUNCATE TABLE t;
CREATE STREAM x WITH (KAFKA_TOPIC = '${prefix}x') AS SELECT a FROM t WHERE a IN (SELECT a FROM early);
CREATE STREAM x WITH (KAFKA_TOPIC = '${prefix}x') AS SELECT a, (SELECT max(a) FROM early) AS m FROM t;
SELECT a FROM t WHERE a IN (SELECT a FROM early) EMIT CHANGES;
SELECT a FROM t WHERE a IN (SELECT a FROM early);
SHOW TOPICS EXTENDED;
