-- Flink's joins FOR SYSTEM_TIME AS OF a column.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- topic: ${prefix}orders partitions=1
-- topic: ${prefix}rates partitions=1
-- topic: ${prefix}events partitions=1
-- topic: ${prefix}quotes partitions=1
-- record: ${prefix}events {"before": null, "after": {"cur": "EUR", "rate": 7}, "source": {"ts_ms": 1704067200000}, "op": "c", "ts_ms": 0}
-- record: ${prefix}events {"before": {"cur": "EUR", "rate": 7}, "after": {"cur": "EUR", "rate": 8}, "source": {"ts_ms": 1704067210000}, "op": "u", "ts_ms": 0}
-- record: ${prefix}events {"before": {"cur": "EUR", "rate": 8}, "after": null, "source": {"ts_ms": 1704067230000}, "op": "d", "ts_ms": 0}
CREATE TABLE orders (id INT, cur STRING, at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', proctime AS PROCTIME(), WATERMARK FOR at AS at) WITH ('connector' = 'kafka', 'topic' = '${prefix}orders', 'format' = 'json', 'scan.bounded.mode' = 'latest-offset');
CREATE TABLE rates (cur STRING, rate INT, since TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', WATERMARK FOR since AS since, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}rates', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO rates VALUES ('EUR', 1, TIMESTAMP '2024-01-01 00:00:00'), ('USD', 10, TIMESTAMP '2024-01-01 00:00:00'), ('EUR', 3, TIMESTAMP '2024-01-01 00:00:20'), ('EUR', 2, TIMESTAMP '2024-01-01 00:00:10'), ('EUR', 4, TIMESTAMP '2024-01-01 00:00:20');
INSERT INTO rates (cur, since, _tombstone) VALUES ('USD', TIMESTAMP '2024-01-01 00:00:10', true);
INSERT INTO orders VALUES (1, 'EUR', TIMESTAMP '2024-01-01 00:00:05'), (2, 'EUR', TIMESTAMP '2024-01-01 00:00:10'), (3, 'EUR', TIMESTAMP '2024-01-01 00:00:30'), (4, 'EUR', TIMESTAMP '2023-01-01 00:00:00'), (5, 'USD', TIMESTAMP '2024-01-01 00:00:09'), (6, 'USD', TIMESTAMP '2024-01-01 00:00:10'), (7, 'XXX', TIMESTAMP '2024-01-01 00:00:00');
SELECT o.id, r.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.at AS r ON o.cur = r.cur;
SELECT id, rates.cur, rate FROM orders JOIN rates FOR SYSTEM_TIME AS OF orders.at ON orders.cur = rates.cur AND rate > 1;
SELECT * EXCEPT (proctime) FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF `at` r USING (cur) WHERE id = 2;
SELECT o.id, r.rate FROM orders AS o JOIN rates /*+ OPTIONS('value.json.ignore-parse-errors' = 'true') */ FOR SYSTEM_TIME AS OF o.at AS r ON o.cur = r.cur WHERE id = 3;
WITH o AS (SELECT id, cur, at FROM orders WHERE id < 3), joined AS (SELECT o.id, r.rate FROM o JOIN rates FOR SYSTEM_TIME AS OF o.at AS r ON o.cur = r.cur) SELECT * FROM joined;
-- At the time of processing: the latest rows.
SELECT o.id, r.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.proctime AS r ON o.cur = r.cur;
SELECT o.id, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF PROCTIME() AS r ON o.cur = r.cur;
CREATE VIEW dated AS SELECT o.id, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.at AS r ON o.cur = r.cur;
SELECT count(*), sum(rate) FROM dated;
DROP VIEW dated;
-- Change events; the time of a change may be a column, or one of the event.
CREATE TABLE events (cur STRING, rate INT, since TIMESTAMP_LTZ(3) METADATA FROM 'value.source.timestamp' VIRTUAL, WATERMARK FOR since AS since, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = '${prefix}events', 'format' = 'debezium-json');
SELECT o.id, e.rate FROM orders AS o LEFT JOIN events FOR SYSTEM_TIME AS OF o.at AS e ON o.cur = e.cur;
-- Rows numbered by time are the versions of a stream.
CREATE TABLE quotes (cur STRING, rate INT, since TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', WATERMARK FOR since AS since) WITH ('connector' = 'kafka', 'topic' = '${prefix}quotes', 'format' = 'json');
INSERT INTO quotes VALUES ('EUR', 20, TIMESTAMP '2024-01-01 00:00:00'), ('EUR', 30, TIMESTAMP '2024-01-01 00:00:10'), ('EUR', 25, TIMESTAMP '2024-01-01 00:00:07');
CREATE VIEW latest AS SELECT cur AS currency, rate, since FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY since DESC) AS n FROM quotes) WHERE n = 1;
SELECT o.id, l.rate FROM orders AS o LEFT JOIN latest FOR SYSTEM_TIME AS OF o.at AS l ON l.currency = o.cur;
DROP VIEW latest;
-- Without end, it is the join of a stream with a table.
CREATE STREAM dated AS SELECT o.cur AS cur, o.id, r.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.at AS r ON o.cur = r.cur;
SELECT id, rate FROM dated;
-- Refused.
CREATE TABLE timed (cur STRING, rate INT, since TIMESTAMP(3), WATERMARK FOR since AS since, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}rates', 'key.format' = 'json', 'value.format' = 'json');
SELECT o.id, r.rate FROM orders AS o JOIN timed FOR SYSTEM_TIME AS OF o.at AS r ON o.cur = r.cur;
SELECT o.id, r.rate FROM orders AS o JOIN timed FOR SYSTEM_TIME AS OF o.at AS r ON o.cur = r.cur EMIT CHANGES;
SELECT o.id, r.rate FROM orders AS o JOIN quotes FOR SYSTEM_TIME AS OF o.at AS r ON o.cur = r.cur;
SELECT o.id, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.at AS r ON o.id = r.rate;
SELECT o.id, r.rate FROM orders AS o FULL JOIN rates FOR SYSTEM_TIME AS OF o.at AS r ON o.cur = r.cur;
SELECT o.id, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.id AS r ON o.cur = r.cur;
SELECT o.id, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.nosuch AS r ON o.cur = r.cur;
SELECT id FROM rates FOR SYSTEM_TIME AS OF since;
