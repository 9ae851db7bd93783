-- Continuous queries: orders → enriched → revenue per minute. Run by `make demo`.

CREATE STREAM live_orders (customer STRING KEY, amount DECIMAL(12, 2), status STRING)
WITH (KAFKA_TOPIC = 'shop.live_orders', VALUE_FORMAT = 'JSON', PARTITIONS = 2);

CREATE TABLE customers (customer STRING PRIMARY KEY, country STRING)
WITH (KAFKA_TOPIC = 'shop.customers', VALUE_FORMAT = 'JSON', PARTITIONS = 2);

INSERT INTO customers VALUES
  ('Ada', 'GB'), ('Björn', 'SE'), ('Chloé', 'FR'), ('Dmitri', 'CY'), ('Eun-ji', 'KR'),
  ('Farah', 'MA'), ('Grace', 'US'), ('Hiro', 'JP'), ('Inês', 'PT'), ('Jürgen', 'DE');

-- Each order with its customer's row at that moment.
CREATE STREAM enriched AS
SELECT o.customer, c.country, o.amount
FROM live_orders o JOIN customers c ON o.customer = c.customer
WHERE o.status <> 'RETURNED';

-- A table that changes with every order.
CREATE TABLE revenue AS
SELECT country, count(*) AS orders, sum(amount) AS revenue
FROM enriched WINDOW TUMBLING (SIZE 1 MINUTE)
GROUP BY country
EMIT CHANGES;
