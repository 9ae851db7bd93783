-- A view's names are those of its creation, in a query without end as in any other.
CREATE STREAM orders (id INT) WITH (KAFKA_TOPIC = '${prefix}orders', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM other (id INT) WITH (KAFKA_TOPIC = '${prefix}other', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO orders VALUES (1);
INSERT INTO other VALUES (2);
CREATE VIEW stored AS SELECT * FROM orders;
CREATE TEMPORARY VIEW orders AS SELECT id * 10 AS id FROM other;
CREATE TEMPORARY VIEW later AS SELECT * FROM orders;
SELECT * FROM stored;
SELECT * FROM stored EMIT CHANGES LIMIT 1;
SELECT * FROM later;
SELECT * FROM later EMIT CHANGES LIMIT 1;
DROP VIEW orders;
DROP VIEW stored;
