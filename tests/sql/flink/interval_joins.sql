-- Joins of streams on a range of their watermarks' times, without end.
CREATE TABLE bid (item STRING, price INT, at TIMESTAMP_LTZ(3), WATERMARK FOR at AS at - INTERVAL '1' SECOND) WITH ('connector' = 'kafka', 'topic' = '${prefix}bid', 'format' = 'json', 'PARTITIONS' = '1');
CREATE TABLE ask (item STRING, price INT, at TIMESTAMP(3), WATERMARK FOR at AS at) WITH ('connector' = 'kafka', 'topic' = '${prefix}ask', 'format' = 'json', 'PARTITIONS' = '1');
CREATE TABLE untimed (item STRING, price INT, at TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = '${prefix}ask', 'format' = 'json');
INSERT INTO bid VALUES ('A', 1, TIMESTAMP '2024-01-01 08:01:00'), ('B', 5, TIMESTAMP '2024-01-01 08:03:00'), ('A', 7, TIMESTAMP '2024-01-01 08:14:00'), ('C', 9, TIMESTAMP '2024-01-01 09:29:00');
INSERT INTO ask VALUES ('A', 10, TIMESTAMP_NTZ '2024-01-01 08:02:00'), ('A', 30, TIMESTAMP_NTZ '2024-01-01 08:10:00'), ('B', 50, TIMESTAMP_NTZ '2024-01-01 08:13:00'), ('C', 70, TIMESTAMP_NTZ '2024-01-01 09:37:00');
SELECT b.item, b.price, a.price AS asked FROM bid b JOIN ask a ON b.item = a.item AND a.at BETWEEN b.at - INTERVAL '5' MINUTE AND b.at + INTERVAL '5' MINUTE;
SELECT b.item, b.price, a.price AS asked FROM bid b JOIN ask a ON b.item = a.item AND a.at BETWEEN b.at - INTERVAL '5' MINUTE AND b.at + INTERVAL '5' MINUTE EMIT CHANGES;
SELECT b.item, b.price, a.price AS asked FROM bid b, ask a WHERE b.item = a.item AND a.at >= b.at AND a.at < b.at + INTERVAL '10' MINUTE AND a.price > 10 EMIT CHANGES;
SELECT b.item, b.price, a.price AS asked FROM bid b LEFT JOIN ask a ON b.item = a.item AND a.at >= b.at AND a.at < b.at + INTERVAL '5' MINUTE EMIT CHANGES;
-- Without an equality, a watermark or a range.
SELECT b.item FROM bid b JOIN ask a ON a.at BETWEEN b.at AND b.at + INTERVAL '5' MINUTE EMIT CHANGES;
SELECT b.item FROM bid b JOIN untimed a ON b.item = a.item AND a.at BETWEEN b.at AND b.at + INTERVAL '5' MINUTE EMIT CHANGES;
SELECT b.item FROM bid b JOIN ask a ON b.item = a.item EMIT CHANGES;
