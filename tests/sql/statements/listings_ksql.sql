-- ksqlDB's listings that Spark does not have: DESCRIBE STREAMS, LIST FUNCTIONS, LIST ALL TOPICS.
-- conf: spark.kafkalyst.dialect=ksqldb
-- topic: ${prefix}orders
CREATE STREAM orders (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}orders', VALUE_FORMAT = 'JSON');
CREATE TABLE totals (k STRING PRIMARY KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}orders', VALUE_FORMAT = 'JSON');
DESCRIBE STREAMS;
DESC TABLES EXTENDED;
CREATE TABLE streams (c INT) USING parquet;
DESCRIBE streams;
DROP TABLE streams;
LIST FUNCTIONS LIKE '%offset|explode|abs';
LIST FUNCTIONS ALIKE 'x';
SHOW ALL TOPICS LIKE '${prefix}*';
LIST ALL TOPICS EXTENDED LIKE '${prefix}*';
LIST ALL STREAMS;
