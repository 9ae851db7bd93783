-- Flink's window table functions over a topic, in SELECTs that end.
CREATE TABLE bid (bidtime TIMESTAMP(3), price DECIMAL(10, 2), item STRING, at TIMESTAMP_LTZ(3), WATERMARK FOR bidtime AS bidtime - INTERVAL '1' SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}bid', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO bid VALUES
  (TIMESTAMP_NTZ '2020-04-15 08:05:00', 4.00, 'C', TIMESTAMP '2020-04-15 08:05:00'), (TIMESTAMP_NTZ '2020-04-15 08:07:00', 2.00, 'A', NULL),
  (TIMESTAMP_NTZ '2020-04-15 08:09:00', 5.00, 'D', NULL), (TIMESTAMP_NTZ '2020-04-15 08:17:00', 6.00, 'F', TIMESTAMP '2020-04-15 08:17:00'), (NULL, 1, 'N', NULL);
SELECT * FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES));
SELECT window_start, window_end, SUM(price) AS total FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;
SELECT window_start, COUNT(*) FROM TUMBLE(DATA => TABLE bid, TIMECOL => DESCRIPTOR(at), SIZE => INTERVAL '1' HOUR, OFFSET => INTERVAL '30' MINUTE) GROUP BY window_start;
SELECT window_start, window_end, SUM(price) FROM TABLE(HOP(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '5' MINUTES, INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;
SELECT window_start, window_end, SUM(price) FROM TABLE(CUMULATE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '2' MINUTES, INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start ORDER BY price DESC) AS place FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES))) WHERE place = 1;
SELECT l.item, r.item FROM (SELECT * FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES))) l JOIN (SELECT * FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES))) r ON l.window_start = r.window_start AND l.price < r.price;
SELECT * FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(nosuch), INTERVAL '10' MINUTES));
SELECT * FROM TABLE(TUMBLE(TABLE nosuch, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES));
SELECT * FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime)));
SELECT window_start, window_end, SUM(price) FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end EMIT CHANGES;
