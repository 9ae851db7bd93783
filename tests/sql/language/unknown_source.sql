-- A source that is not there: our statements name what comes near it.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
CREATE STREAM orders (k INT KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}orders', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM copied AS SELECT * FROM oders;
CREATE TABLE counted AS SELECT k, COUNT(*) AS n FROM order GROUP BY k EMIT CHANGES;
CREATE STREAM joined AS SELECT * FROM orders o JOIN payments p WITHIN 1 HOUR ON o.k = p.k;
CREATE STREAM elsewhere AS SELECT * FROM golden.orderz;
INSERT INTO orders SELECT * FROM ordres;
INSERT INTO orders SELECT * FROM ordres EMIT CHANGES;
EXPLAIN CREATE STREAM copied AS SELECT * FROM oders;
-- Spark's own statements keep Spark's error.
SELECT * FROM oders;
