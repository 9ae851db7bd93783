-- A backslash is an ordinary character in Flink's texts, before a closing quote, too.
CREATE TABLE t (id INT, s STRING, part AS SPLIT_INDEX(s, '\', 1), own AS 'it''s \', `both` AS 'a\''b') COMMENT 'C:\'
WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'csv', 'csv.escape-character' = '\', 'csv.null-literal' = 'a;b', 'PARTITIONS' = '1');
INSERT INTO t VALUES (1, R'x\y');
SELECT * FROM t;
SELECT id FROM t /*+ OPTIONS('csv.escape-character' = '\') */;
ALTER TABLE t SET ('csv.escape-character' = '\', 'csv.null-literal' = 'n');
-- Flink has no raw strings.
SHOW CREATE TABLE t AS FLINK;
EXECUTE STATEMENT SET BEGIN
  INSERT INTO t SELECT 2, 'C:\'; -- two
  INSERT INTO t SELECT 3, 'y';
END;
SELECT id, s FROM t ORDER BY id;
-- Spark's escapes stay Spark's.
SELECT 'a\'; b' AS x, ('c\') d') AS y;
