-- Flink's forms of calls and CASE, and its functions of SQL/JSON over groups; views over topics have Flink's clauses too.
-- spark: 4.1 4.2
CREATE TABLE o (id INT, name STRING, nums ARRAY<INT>, ts TIMESTAMP(3), l TIMESTAMP_LTZ(3), d DATE, t TIME(3), j STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO o VALUES
  (1, 'a', array(3, 1, NULL, 2), TIMESTAMP_NTZ '2024-02-29 13:14:15.678', TIMESTAMP '2024-02-29 13:14:15.678', DATE '2021-01-01', TIME '23:14:15.678', '{"l":["x",1,{"e":2}]}'),
  (2, NULL, array(), TIMESTAMP_NTZ '1969-12-31 23:59:59', TIMESTAMP '1970-01-01 00:00:00', DATE '1969-12-31', TIME '00:00:00', '[]'), (3, 'c', NULL, NULL, NULL, NULL, NULL, NULL);
SELECT id, CASE id WHEN 1, 2 THEN 'low' WHEN 3 THEN 'high' END AS size, CASE WHEN id IN (1, 2) THEN concat('x', id) END AS plain FROM o;
SELECT id FROM o WHERE CASE name WHEN 'a', 'b' THEN CASE id WHEN 1, 7 THEN TRUE END ELSE FALSE END;
SELECT id, EXTRACT(EPOCH FROM ts) AS epoch, EXTRACT(MILLENNIUM FROM ts) AS mil, EXTRACT(CENTURY FROM ts) AS cen, EXTRACT(DECADE FROM ts) AS dec, EXTRACT(ISODOW FROM ts) AS dow, EXTRACT(MILLISECOND FROM ts) AS ms, EXTRACT(MICROSECOND FROM ts) AS us, EXTRACT(NANOSECOND FROM ts) AS ns FROM o;
SELECT id, EXTRACT(EPOCH FROM l) AS l, EXTRACT(EPOCH FROM d) AS d, EXTRACT(ISOYEAR FROM d) AS y, EXTRACT(DECADE FROM d) AS dec, EXTRACT(MILLISECOND FROM d) AS ms FROM o;
-- Spark's own functions of TIME, and casts to it, need Spark's setting.
SELECT id, FLOOR(t TO HOUR) AS began, CEIL(t TO MINUTE) AS next, CEIL(t TO HOUR) AS around FROM o;
SET spark.sql.timeType.enabled = true;
SELECT id, EXTRACT(HOUR FROM t) AS h, EXTRACT(MILLISECOND FROM t) AS ms, CAST('10:11:12' AS TIME) AS c FROM o;
RESET spark.sql.timeType.enabled;
SELECT id, ARRAY_SORT(nums, FALSE) AS down, ARRAY_SORT(nums, TRUE) AS up, ARRAY_SORT(nums, TRUE, FALSE) AS last, ARRAY_SORT(nums, FALSE, TRUE) AS first FROM o;
SELECT id, CAST(nums AS STRING ARRAY) AS s, CAST(nums AS ARRAY<BIGINT>) AS b FROM o;
SELECT CAST(name AS BYTES) AS b, CAST(name AS VARBINARY(5)) AS v, CAST(X'61' AS STRING) AS s FROM o WHERE id = 1;
SELECT EXTRACT(FORTNIGHT FROM ts) FROM o;
-- SQL/JSON.
SELECT JSON_ARRAYAGG(name) AS a, JSON_ARRAYAGG(name NULL ON NULL) AS nulls, JSON_ARRAYAGG(JSON_OBJECT('i' VALUE id)) AS o FROM o;
SELECT id > 1 AS more, JSON_OBJECTAGG(KEY CAST(id AS STRING) VALUE name) AS o, JSON_OBJECTAGG(CAST(id AS STRING) VALUE name ABSENT ON NULL) AS absent, JSON_OBJECTAGG('x' : JSON_ARRAY(id)) AS last FROM o GROUP BY id > 1 ORDER BY more;
SELECT id, JSON_QUERY(j, 'lax $.l' RETURNING ARRAY<STRING>) AS l, JSON_QUERY(j, 'lax $.x' RETURNING ARRAY<STRING> EMPTY ARRAY ON EMPTY) AS none FROM o;
SELECT JSON_OBJECT('k' VALUE JSON('{"a": [1]}'), 'n' VALUE id) AS o FROM o WHERE id = 1;
SELECT JSON_OBJECT('k' VALUE JSON('no')) FROM o;
-- In computed columns, and over views.
CREATE TABLE c (id INT, ts TIMESTAMP(3), nums ARRAY<INT>, e AS EXTRACT(EPOCH FROM ts), s AS ARRAY_SORT(nums, FALSE)) WITH ('connector' = 'kafka', 'topic' = '${prefix}o', 'format' = 'json');
SELECT id, e, s FROM c;
CREATE VIEW v AS SELECT id, ts FROM o;
SELECT window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start ORDER BY window_start;
SELECT ROW(id, 'x') AS r, ARRAY[id] AS a, CAST(ts AS TIMESTAMP(3)) AS t FROM v FETCH FIRST 1 ROW ONLY;
DROP VIEW v;
