-- Two topics hold data: shop.orders (Avro, its schema in the registry) and foo (JSON). Run by `make demo`.

-- The cluster is the catalog `kafka`: each topic is a table, without a declaration. Columns come from the registry.
SELECT customer, status, amount, placed_at FROM kafka.shop.orders ORDER BY amount DESC LIMIT 3;

-- DDL says what the registry does not know: the key is a number.
CREATE STREAM orders (order_id BIGINT KEY)
WITH (KAFKA_TOPIC = 'shop.orders', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'AVRO');

-- Any JSON name can be a column name, in double quotes.
CREATE STREAM foo ("@ID" BIGINT, "@NAME" STRING, "MESSAGE.AMOUNT" DOUBLE, "SELECT" STRING)
WITH (KAFKA_TOPIC = 'foo', VALUE_FORMAT = 'JSON');

DESCRIBE orders;

-- Plain Spark SQL over the topics: it reads up to their current end.
SELECT status, count(*) AS orders, sum(amount) AS total, count(note) AS notes
FROM orders
GROUP BY status
ORDER BY orders DESC;

-- Nested values are columns like any other.
SELECT item.sku, sum(item.quantity) AS sold, max(item.price) AS highest_price
FROM orders LATERAL VIEW explode(items) AS item
WHERE placed_at < TIMESTAMP '2024-01-05'
GROUP BY item.sku
ORDER BY sold DESC
LIMIT 5;

-- A join of two topics.
SELECT f."@ID", f."@NAME", o.customer, o.amount, o.placed_at
FROM foo f JOIN orders o ON o.order_id = f."@ID"
ORDER BY f."@ID";

INSERT INTO foo VALUES (4, 'Garply', 0.5, 'waldo');

SELECT * FROM foo ORDER BY "@ID";

-- A continuous query: its result is a topic, and therefore a table, of its own.
CREATE STREAM bar AS
SELECT "@ID", lower("@NAME") AS "@NAME", "MESSAGE.AMOUNT" * 100 AS "AMOUNT.BY.100", "SELECT"
FROM foo
WHERE "MESSAGE.AMOUNT" < 1;

SELECT * FROM bar ORDER BY "@ID";

SELECT * FROM bar EMIT CHANGES LIMIT 2;

SHOW STREAMS;

SHOW QUERIES;

SHOW TABLES;

DESCRIBE bar EXTENDED;
