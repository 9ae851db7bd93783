-- A JSON topic with names that are not plain SQL names: read, write, continuous query.
-- topic: ${prefix}foo partitions=2
-- record: ${prefix}foo {"@ID": 0, "@NAME": "Foo", "MESSAGE.AMOUNT": 0.0, "SELECT": "bar"}
-- record: ${prefix}foo {"@ID": 1, "@NAME": null, "MESSAGE.AMOUNT": 2.5}
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
CREATE STREAM foo ("@ID" BIGINT, "@NAME" STRING, "MESSAGE.AMOUNT" DOUBLE, "SELECT" STRING)
WITH (KAFKA_TOPIC = '${prefix}foo', VALUE_FORMAT = 'JSON');
SELECT * FROM foo;
SELECT "@ID" + 1 AS next, upper(f."@NAME") FROM foo f WHERE "MESSAGE.AMOUNT" < 1;
INSERT INTO foo VALUES (4, 'Garply', 0.5, 'waldo');
SELECT count(*) FROM foo;
CREATE STREAM bar AS
SELECT "@ID", lower("@NAME") AS "@NAME", "MESSAGE.AMOUNT" * 100 AS "AMOUNT.BY.100", "SELECT" FROM foo
WHERE "MESSAGE.AMOUNT" < 1;
SELECT * FROM bar;
SELECT * FROM bar EMIT CHANGES;
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_BAR_\d+ => CSAS_BAR_n
