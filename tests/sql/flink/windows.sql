-- Flink's window table functions over a topic, in SELECTs that end.
CREATE TABLE bid (bidtime TIMESTAMP(3), price DECIMAL(10, 2), item STRING, at TIMESTAMP_LTZ(3), WATERMARK FOR bidtime AS bidtime - INTERVAL '1' SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}bid', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO bid VALUES
  (TIMESTAMP_NTZ '2020-04-15 08:05:00', 4.00, 'C', TIMESTAMP '2020-04-15 08:05:00'), (TIMESTAMP_NTZ '2020-04-15 08:07:00', 2.00, 'A', NULL),
  (TIMESTAMP_NTZ '2020-04-15 08:09:00', 5.00, 'D', NULL), (TIMESTAMP_NTZ '2020-04-15 08:17:00', 6.00, 'F', TIMESTAMP '2020-04-15 08:17:00'), (NULL, 1, 'N', NULL);
SELECT * FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES));
SELECT window_start, window_end, SUM(price) AS total FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;
SELECT window_start, COUNT(*) FROM TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES) GROUP BY window_start, window_end;
SELECT window_start, COUNT(*) FROM CUMULATE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '5' MINUTES, INTERVAL '10' MINUTES) GROUP BY window_start, window_end;
SELECT window_start, COUNT(*) FROM TUMBLE(DATA => TABLE bid, TIMECOL => DESCRIPTOR(at), SIZE => INTERVAL '1' HOUR, OFFSET => INTERVAL '30' MINUTE) GROUP BY window_start;
SELECT window_start, window_end, SUM(price) FROM TABLE(HOP(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '5' MINUTES, INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;
SELECT window_start, window_end, SUM(price) FROM TABLE(CUMULATE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '2' MINUTES, INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start ORDER BY price DESC) AS place FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES))) WHERE place = 1;
SELECT l.item, r.item FROM (SELECT * FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES))) l JOIN (SELECT * FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES))) r ON l.window_start = r.window_start AND l.price < r.price;
SELECT * FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(nosuch), INTERVAL '10' MINUTES));
SELECT * FROM TABLE(TUMBLE(TABLE nosuch, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES));
SELECT * FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime)));
SELECT window_start, window_end, SUM(price) FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end EMIT CHANGES;
SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(DATA => TABLE bid, TIMECOL => DESCRIPTOR(bidtime), SIZE => INTERVAL '10' MINUTES, `OFFSET` => INTERVAL '6' MINUTES)) GROUP BY window_start;
SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '1:30' HOUR TO MINUTE)) GROUP BY window_start;
SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '1' DAY, INTERVAL '-8' HOUR)) GROUP BY window_start;
-- Sessions.
SELECT item, window_start, window_end, window_time FROM TABLE(SESSION(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '2' MINUTES));
SELECT item, window_start, window_end, SUM(price) AS total FROM TABLE(SESSION(TABLE bid PARTITION BY (item), DESCRIPTOR(bidtime), INTERVAL '20' MINUTES)) GROUP BY item, window_start, window_end;
SELECT window_start, COUNT(*) FROM TABLE(SESSION(DATA => TABLE bid PARTITION BY (item, price), TIMECOL => DESCRIPTOR(bidtime), GAP => INTERVAL '1' HOUR)) GROUP BY window_start;
-- Without end they are merged by groups of their keys; nothing else may see the session of a single row.
SELECT item, window_start, window_end, SUM(price) AS total FROM TABLE(SESSION(TABLE bid PARTITION BY (item), DESCRIPTOR(bidtime), INTERVAL '3' MINUTES)) GROUP BY item, window_start, window_end EMIT CHANGES;
SELECT window_start, window_time, COUNT(*) AS n FROM (SELECT *, 1 AS one FROM SESSION(DATA => TABLE (SELECT 'x' AS x, * FROM bid WHERE item <> 'Z') PARTITION BY x, TIMECOL => DESCRIPTOR(bidtime), GAP => INTERVAL '3' MINUTE)) AS s WHERE one = 1 GROUP BY x, window_start, window_end, window_time HAVING COUNT(*) > 2 EMIT CHANGES;
SELECT window_start, COUNT(*) FROM TABLE(SESSION(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '2' MINUTES)) GROUP BY window_start EMIT CHANGES;
SELECT window_start, COUNT(*) FROM TABLE(SESSION(TABLE bid PARTITION BY item, DESCRIPTOR(bidtime), INTERVAL '2' MINUTES)) GROUP BY window_start EMIT CHANGES;
SELECT window_start FROM TABLE(SESSION(TABLE bid PARTITION BY item, DESCRIPTOR(bidtime), INTERVAL '2' MINUTES)) EMIT CHANGES;
SELECT item, COUNT(*) FROM TABLE(SESSION(TABLE bid PARTITION BY item, DESCRIPTOR(bidtime), INTERVAL '2' MINUTES)) WHERE window_end > bidtime GROUP BY item, window_start, window_end EMIT CHANGES;
-- Windows in GROUP BY.
SELECT TUMBLE_START(bidtime, INTERVAL '10' MINUTE) AS s, TUMBLE_END(bidtime, INTERVAL '10' MINUTE) AS e, TUMBLE_ROWTIME(bidtime, INTERVAL '10' MINUTE) AS r, SUM(price) FROM bid GROUP BY TUMBLE(bidtime, INTERVAL '10' MINUTE);
SELECT HOP_START(bidtime, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE) AS s, HOP_PROCTIME(bidtime, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE) > bidtime_max AS later FROM (SELECT bidtime, TIMESTAMP '2021-01-01 00:00:00' AS bidtime_max FROM bid) GROUP BY HOP(bidtime, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE), bidtime_max ORDER BY s LIMIT 1;
SELECT HOP_START(at, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE) AS s, HOP_END(at, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE) AS e, item FROM bid GROUP BY HOP(at, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE), item;
SELECT SESSION_START(bidtime, INTERVAL '3' MINUTE) AS s, SESSION_END(bidtime, INTERVAL '3' MINUTE) AS e, COUNT(*) FROM bid GROUP BY SESSION(bidtime, INTERVAL '3' MINUTE);
SELECT COUNT(*) FROM bid GROUP BY TUMBLE(bidtime, INTERVAL '1' MONTH);
SELECT TUMBLE_START(bidtime, INTERVAL '10' MINUTE) AS s, COUNT(*) FROM bid GROUP BY TUMBLE(bidtime, INTERVAL '10' MINUTE) EMIT CHANGES;
-- A step divides the size; the table may be a query.
SELECT * FROM TABLE(CUMULATE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '3' MINUTES, INTERVAL '10' MINUTES));
SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(DATA => TABLE (SELECT * FROM bid WHERE price > 4), TIMECOL => DESCRIPTOR(bidtime), SIZE => INTERVAL '10' MINUTES)) GROUP BY window_start;
