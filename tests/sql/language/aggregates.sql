-- ksqlDB's aggregates that Spark has under no or another name, over a topic's rows in order.
CREATE STREAM t (k INT KEY, g STRING, v INT, d DOUBLE, a ARRAY<INT>) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t VALUES (1, 'a', 5, 1.0, array(1, 2));
INSERT INTO t VALUES (1, 'a', 7, 2.0, null);
INSERT INTO t VALUES (1, 'b', 1, 3.0, array(3, null));
INSERT INTO t VALUES (1, 'a', NULL, 4.0, array());
INSERT INTO t VALUES (1, 'a', 5, 5.0, array(4));
SELECT g, latest_by_offset(v) AS l, latest_by_offset(v, false) AS ln, latest_by_offset(v, 2) AS l2, latest_by_offset(v, 2, false) AS l2n, earliest_by_offset(v) AS e, earliest_by_offset(v, 2) AS e2 FROM t GROUP BY g ORDER BY g;
SELECT g, topk(v, 2) AS t, topkdistinct(v, 2) AS td, topk(v, g, d, 2) AS ts, count_distinct(v) AS cd, histogram(cast(v AS STRING)) AS h, sum_list(a) AS sl, attr(v) AS attr, correlation(v, d) AS c, stddev_sample(d) AS sd FROM t GROUP BY g ORDER BY g;
SELECT latest_by_offset(v, d) FROM t;
SELECT topk(v) FROM t;

SELECT latest_by_offset(v, 0) FROM t;

SELECT topk(v, '2') FROM t;
