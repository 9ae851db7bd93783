-- What is not there, or is something else.
-- replace: Did you mean "(g[0-9a-f]{8}_|\$\{prefix\})[^"]*"\? ? => 
DROP STREAM orders;
CREATE STREAM orders (a INT) WITH (KAFKA_TOPIC = '${prefix}orders', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
DROP STREAM oders;
DROP TABLE orders DELETE TOPIC;
TERMINATE CSAS_NOTHING_1;
SELECT * FROM oders;
SELECT nope FROM orders;
DROP STREAM orders DELETE TOPIC;
PRINT '${prefix}orders';
