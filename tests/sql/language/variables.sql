-- Variables of the session, in statements that end; a continuous query outlives them.
CREATE STREAM orders (id INT KEY, item STRING, qty INT) WITH (KAFKA_TOPIC = '${prefix}orders', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
DECLARE VARIABLE least INT DEFAULT 2;
INSERT INTO orders VALUES (1, 'a', least), (2, 'b', session.least + 1), (3, upper('c'), 1);
INSERT INTO orders VALUES (4, upper(d), least);
INSERT INTO orders (id, item) VALUES (4, "d");
SELECT * FROM orders WHERE qty >= least ORDER BY id;
EXECUTE IMMEDIATE 'INSERT INTO orders VALUES (?, ?, least)' USING 4, 'd';
CREATE STREAM many AS SELECT * FROM orders WHERE qty >= least EMIT CHANGES;
CREATE TABLE counts AS SELECT item, count(*) + session.least AS n FROM orders GROUP BY item EMIT CHANGES;
INSERT INTO orders SELECT id, item, least FROM orders EMIT CHANGES;
CREATE TABLE landed USING parquet AS SELECT id, qty + least AS q FROM orders EMIT CHANGES;
EXPLAIN CREATE STREAM many AS SELECT * FROM orders WHERE qty >= least EMIT CHANGES;
SHOW STREAMS;
SELECT id, qty FROM orders WHERE qty >= least EMIT CHANGES LIMIT 2;
DROP TEMPORARY VARIABLE least;
