-- Aggregates into a topic: one key per group, written again as it changes.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: \b0 \| \d+ \| 1970 => 0 | n | 1970
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
CREATE STREAM clicks (usr STRING KEY, page STRING, ms INT, at STRUCT<x INT, y INT>) WITH (KAFKA_TOPIC = '${prefix}clicks', VALUE_FORMAT = 'JSON', PARTITIONS = 2);
INSERT INTO clicks (usr, page, ms, at, ROWTIME) VALUES ('a', 'p', 1, named_struct('x', 1, 'y', 2), 1000), ('b', 'p', 2, NULL, 3000), ('a', 'q', 3, NULL, 2000), (NULL, 'q', 4, NULL, 9000), ('b', NULL, 5, NULL, 2500);
CREATE TABLE per_user AS SELECT usr, count(*) AS n, sum(ms) AS total FROM clicks GROUP BY usr EMIT CHANGES;
SELECT *, ROWTIME FROM per_user;
DESCRIBE per_user;
PRINT '${prefix}per_user';
CREATE TABLE per_page WITH (KEY_FORMAT = 'JSON') AS SELECT page, usr AS who, max(ms) FROM clicks GROUP BY (usr, page) EMIT CHANGES;
SELECT * FROM per_page;
CREATE TABLE exprs WITH (KEY_FORMAT = 'JSON') AS SELECT upper(page), ms % 2 AS odd, count(*) AS n FROM clicks GROUP BY ms % 2, upper(page) EMIT CHANGES;
SELECT * FROM exprs;
CREATE TABLE field WITH (KEY_FORMAT = 'JSON') AS SELECT at->x, count(*) AS n FROM clicks GROUP BY at->x EMIT CHANGES;
SELECT * FROM field;
CREATE TABLE everything AS SELECT 'all' AS k, count(*) AS n, AS_VALUE('x') AS v FROM clicks GROUP BY 'all' EMIT CHANGES;
SELECT * FROM everything;
CREATE TABLE busy AS SELECT usr, count(*) AS n FROM clicks WHERE ms > 0 GROUP BY usr HAVING count(*) > 1 AND sum(ms) > 4 EMIT CHANGES;
SELECT * FROM busy;
PRINT '${prefix}busy';
CREATE TABLE big WITH (VALUE_FORMAT = 'AVRO') AS SELECT usr, total * 2 AS twice FROM per_user WHERE total > 4;
SELECT * FROM big;
CREATE STREAM same AS SELECT usr, page FROM clicks;
SELECT *, ROWTIME FROM same;

CREATE STREAM amounts (k INT KEY, v INT, d DECIMAL(4, 2), m MAP<STRING, INT>) WITH (KAFKA_TOPIC = '${prefix}amounts', VALUE_FORMAT = 'JSON', PARTITIONS = 1);

INSERT INTO amounts VALUES (1, 1, 60.00, map('a', 1, 'b', 2)), (1, 2, 50.00, map('b', 2, 'a', 1)), (2, 4, 1.25, NULL), (2, 9, 1.25, map('a', 1));

CREATE TABLE of_amounts AS SELECT k, SUM(d) AS total, ROUND(STDDEV_SAMP(v), 6) AS samp, ROUND(STDDEV_SAMPLE(v), 6) AS sample, COLLECT_SET(m) AS all, ATTR(m) AS one FROM amounts GROUP BY k EMIT CHANGES;

SELECT * FROM of_amounts;

-- An aggregate of no value or of `*` is that of ROWTIME.
CREATE TABLE by_time AS SELECT usr, max(*) AS last, min() AS first, avg(*) AS mean, collect_list() AS times FROM clicks GROUP BY usr HAVING count() > 1 EMIT CHANGES;
SELECT * FROM by_time;
