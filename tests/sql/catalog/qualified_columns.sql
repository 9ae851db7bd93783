-- topic: ${prefix}o
-- record: ${prefix}o {"id":1,"s":{"a":2}}
-- topic: ${prefix}shop.orders
-- record: ${prefix}shop.orders x

-- Columns are qualified by catalog and database as those of Spark's own tables, however the name is written.
CREATE STREAM o (id INT, s STRUCT<a INT>) WITH (KAFKA_TOPIC='${prefix}o', VALUE_FORMAT='JSON');
SELECT spark_catalog.golden.o.id, golden.o.id, o.id FROM o;
SELECT spark_catalog.golden.o.s.a FROM spark_catalog.golden.o;
SELECT golden.o.* FROM o;
SELECT x.id FROM o x JOIN golden.o ON x.id = spark_catalog.golden.o.id;
SELECT golden.x.id FROM o x;
SELECT x.nope FROM o x JOIN o ON x.id = o.id;

-- So are those of a cluster's topics, whose dots are namespaces.
CREATE STREAM kafka.`${prefix}shop.orders` (v STRING) WITH (VALUE_FORMAT='KAFKA');
USE kafka.${prefix}shop;
SELECT kafka.${prefix}shop.orders.v, ${prefix}shop.orders.v, orders.v FROM orders;
USE spark_catalog.golden;
USE kafka;
SELECT kafka.${prefix}shop.orders.v, orders.v FROM ${prefix}shop.orders;
SELECT kafka.`${prefix}shop.orders`.v, `${prefix}shop.orders`.v FROM `${prefix}shop.orders`;
SELECT kafka.`${prefix}shop.orders`.* FROM kafka.`${prefix}shop.orders`;
USE spark_catalog.golden;
DROP STREAM kafka.`${prefix}shop.orders`;
