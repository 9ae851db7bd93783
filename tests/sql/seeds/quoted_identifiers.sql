-- The statements of the proposal "quoted identifiers" as they stand there, with topics of their own.
-- topic: ${prefix}foo partitions=1
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- record: ${prefix}foo {"@ID": 0, "@NAME": "FOO", "MESSAGE.AMOUNT": 0.0, "SELECT": "bar"}
-- record: ${prefix}foo {"@ID": 1, "@NAME": "Qux", "MESSAGE.AMOUNT": 0.5, "SELECT": null}
-- record: ${prefix}foo {"@ID": 2, "@NAME": "Baz", "MESSAGE.AMOUNT": 1.0, "SELECT": "out"}
CREATE STREAM foo
("@ID" BIGINT, "@NAME" STRING, "MESSAGE.AMOUNT" DOUBLE, "SELECT" STRING)
WITH
(KAFKA_TOPIC='${prefix}foo', VALUE_FORMAT = 'JSON');
CREATE STREAM bar AS
SELECT "@ID", lowercase("@NAME") AS "@NAME", "MESSAGE.AMOUNT" * 100 AS "AMOUNT.BY.100", "SELECT"
FROM foo
WHERE "MESSAGE.AMOUNT" < 1;
DESCRIBE bar;
SELECT * FROM bar;
PRINT '${prefix}bar' FROM BEGINNING;
DROP STREAM bar DELETE TOPIC;
CREATE STREAM bar AS
SELECT "@ID", lowercase(foo."@NAME") AS "@NAME", "MESSAGE.AMOUNT" * 100 AS "AMOUNT.BY.100", "SELECT"
FROM foo
WHERE "MESSAGE.AMOUNT" < 1;
SELECT * FROM bar;
CREATE STREAM baz WITH (VALUE_FORMAT = 'AVRO') AS SELECT "@ID", "MESSAGE.AMOUNT", "SELECT" FROM foo;
SELECT foo."@ID", b."AMOUNT.BY.100" FROM foo JOIN bar b ON foo."@ID" = b."@ID" ORDER BY 1;
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
