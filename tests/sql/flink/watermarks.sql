-- Expressions of WATERMARK with a constant delay.
-- replace: #\d+L? => #n
-- replace: (?m)^(?!.*EventTimeWatermark)[ :+*(].*\n =>
-- replace: (?m)^== Physical.*\n+ =>
CREATE TABLE t (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS TIMESTAMPADD(SECOND, -5, ts)) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json', 'PARTITIONS' = '1');
CREATE TABLE added (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts + INTERVAL '-6' SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE same (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS CAST(ts AS TIMESTAMP(3)) - INTERVAL '7' SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE twice (id INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS TIMESTAMPADD(MINUTE, -1, CAST(ts AS TIMESTAMP_LTZ(3))) - INTERVAL '8' SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
EXPLAIN SELECT id FROM t EMIT CHANGES;
EXPLAIN SELECT id FROM added EMIT CHANGES;
EXPLAIN SELECT id FROM same EMIT CHANGES;
EXPLAIN SELECT id FROM twice EMIT CHANGES;
CREATE TABLE x (ts TIMESTAMP(3), WATERMARK FOR ts AS TIMESTAMPADD(SECOND, 5, ts)) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (ts TIMESTAMP(3), WATERMARK FOR ts AS TIMESTAMPADD(MONTH, -1, ts)) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS CAST(ts AS TIMESTAMP(3))) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (ts TIMESTAMP(3), w TIMESTAMP(3), WATERMARK FOR ts AS w - INTERVAL '5' SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
CREATE TABLE x (ts TIMESTAMP(3), WATERMARK FOR ts AS TIMESTAMPADD(SECOND, NULL, ts)) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
