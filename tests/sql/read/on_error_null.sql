-- ON_ERROR=null: the bad side's columns are NULL, the row stays, and the hidden column _error says why.
-- topic: ${prefix}n
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- record: ${prefix}n key=1 {"a": 1, "b": "x"}
-- record: ${prefix}n key="one" {"a": 2, "b": "y"}
-- record: ${prefix}n key=3 {"a": "three", "b": "z"}
-- record: ${prefix}n key="four" ["no", "object"]
-- record: ${prefix}n key=5 null
CREATE STREAM n (k INT KEY, a INT, b STRING)
WITH (KAFKA_TOPIC = '${prefix}n', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON', ON_ERROR = 'null');
SELECT * FROM n;
SELECT k, a, b, _error FROM n;
SELECT n.k FROM n WHERE n._error IS NULL;
SELECT count(*) AS rows, count(_error) AS bad FROM n;
SELECT _error FROM n WHERE k = 3;
SELECT x.k, y._error IS NOT NULL AS bad FROM n x JOIN n y ON x.k = y.k;
SELECT k, a, _error FROM n EMIT CHANGES;
SELECT * FROM n EMIT CHANGES;
-- A sink takes the columns of *, so not the hidden one.
CREATE STREAM copy AS SELECT * FROM n;
SELECT * FROM copy;
CREATE STREAM reasons AS SELECT k, _error AS reason FROM n WHERE _error IS NOT NULL;
SELECT * FROM reasons;
INSERT INTO n VALUES (6, 6, 'six');
SELECT k, b FROM n WHERE k = 6;
DESCRIBE n;
DESCRIBE n EXTENDED;
-- Other policies have no such column.
ALTER TABLE n SET TBLPROPERTIES ('on_error' = 'skip');
SELECT _error FROM n;
SELECT * FROM n;
DROP STREAM reasons DELETE TOPIC;
DROP STREAM copy DELETE TOPIC;
DROP STREAM n;
-- A declared column of the name stands before the hidden one.
CREATE STREAM own (`_error` STRING, a INT) WITH (KAFKA_TOPIC = '${prefix}n', VALUE_FORMAT = 'JSON', ON_ERROR = 'null');
SELECT `_error`, a FROM own;
SELECT `_error`, a FROM own EMIT CHANGES;
DROP STREAM own;
