-- Where names fold, those of topics do; catalogs, foreign tables and their columns keep their names.
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (C[ST]AS_[A-Z_]+|INSERTQUERY)_\d+ => ${query}
-- conf: spark.kafkalyst.dialect=ksqldb
CREATE STREAM orders (id INT KEY, item STRING, place STRUCT<city STRING>) WITH (KAFKA_TOPIC = '${prefix}orders', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO orders VALUES (1, 'pen', STRUCT(city := 'Rome'));
CREATE TABLE items USING parquet AS SELECT 'pen' AS `Item`, 5 AS `unitPrice`, named_struct('Colour', 'red') AS `Look`;
SELECT * FROM orders o JOIN items i ON o.item = i.Item;
SELECT id, unitPrice, i.Item, o.item AS what, i.unitPrice * 2 AS twice, Look.Colour FROM orders o JOIN items i ON o.item = i.Item;
SELECT o.id, q.unitPrice FROM orders o JOIN (SELECT Item, unitPrice FROM items) q ON o.item = q.Item WHERE unitPrice > 1;
SELECT item, sum(unitPrice) AS total FROM orders JOIN items USING (item) GROUP BY item;
SELECT o.`id` FROM orders o JOIN items i ON o.item = i.`Item`;
CREATE STREAM kafka.`${prefix}Shop` (id INT KEY, item STRING) WITH (VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO kafka.`${prefix}Shop` VALUES (2, 'pen');
SELECT id, item FROM kafka.${prefix}shop;
SELECT kafka.`${prefix}Shop`.`item` FROM kafka.`${prefix}Shop`;
SELECT kafka.`${prefix}Shop`.id, unitPrice FROM kafka.`${prefix}Shop` JOIN items i ON i.Item = `${prefix}Shop`.item;
INSERT INTO kafka.`${prefix}Shop` SELECT unitPrice + 5 AS id, Item FROM items;
INSERT INTO kafka.`${prefix}Shop` SELECT id, item FROM orders EMIT CHANGES;
DESCRIBE kafka.${prefix}shop;
CREATE STREAM copied AS SELECT * FROM kafka.`${prefix}Shop`;
SELECT id, item FROM copied ORDER BY id;
SELECT o."id" FROM orders o JOIN items i ON o.item = i.Item;
INSERT INTO orders (id, item) SELECT unitPrice, Item FROM items;
SELECT id, item FROM orders WHERE item IS DISTINCT FROM place->city ORDER BY id;
CREATE STREAM priced AS SELECT o.id, o.item, i.unitPrice FROM orders o JOIN items i ON o.item = i.Item;
SELECT id, unitPrice FROM priced ORDER BY id;
DESCRIBE priced;
