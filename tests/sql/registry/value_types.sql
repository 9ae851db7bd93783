-- Several record types in one topic: a struct column for each, and _type.
-- schema: placed ${prefix}t-com.shop.Placed {"type":"record","name":"Placed","namespace":"com.shop","fields":[{"name":"orderId","type":"long"},{"name":"total","type":["null","double"],"default":null}]}
-- schema: shipped ${prefix}t-com.shop.Shipped {"type":"record","name":"Shipped","namespace":"com.shop","fields":[{"name":"orderId","type":"long"},{"name":"carrier","type":"string"}]}
-- schema: lost ${prefix}t-com.shop.Lost {"type":"record","name":"Lost","namespace":"com.shop","fields":[{"name":"orderId","type":"long"}]}
-- schema: other ${prefix}t-org.other.Placed {"type":"record","name":"Placed","namespace":"org.other","fields":[{"name":"x","type":"int"}]}
-- schema: wrong ${prefix}t-com.shop.Wrong {"type":"record","name":"Right","namespace":"com.shop","fields":[{"name":"x","type":"int"}]}
-- replace: schema id \d+ => schema id n
CREATE STREAM events (k BIGINT KEY) WITH (KAFKA_TOPIC = '${prefix}t', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', VALUE_TYPES = 'com.shop.Placed, com.shop.Shipped', VALUE_SUBJECT_STRATEGY = 'TopicRecordName');
DESCRIBE events;
INSERT INTO events (k, Placed) VALUES (1, named_struct('orderId', 1, 'total', 9.5)), (2, named_struct('orderId', 2, 'total', NULL));
INSERT INTO events (k, _type, Shipped) VALUES (1, 'com.shop.Shipped', named_struct('orderId', 1, 'carrier', 'DHL'));
-- A record of one type is a stream of its own, too, and a type that is not named shows as its name.
CREATE STREAM lost (k BIGINT KEY) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}t-com.shop.Lost');
INSERT INTO lost VALUES (3, 3);
SELECT * FROM events;
SELECT _type, count(*) FROM events GROUP BY _type;
SELECT Shipped.carrier FROM events WHERE _type = 'com.shop.Shipped';
SELECT k, Placed.orderId AS placed, Shipped.orderId AS shipped FROM events WHERE _type IN ('com.shop.Placed', 'com.shop.Lost');
SELECT p.k, p.Placed.total, s.Shipped.carrier FROM events p JOIN events s ON p.Placed.orderId = s.Shipped.orderId;
-- A type more comes at the end; a type with new fields is refreshed.
CREATE OR REPLACE STREAM events (k BIGINT KEY) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_TYPES = 'com.shop.Placed, com.shop.Shipped, com.shop.Lost', VALUE_SUBJECT_STRATEGY = 'TopicRecordName');
SELECT * FROM events WHERE _type = 'com.shop.Lost';
ALTER STREAM events REFRESH SCHEMA;
DESCRIBE events EXTENDED;
-- All types, or those of a namespace, that have a subject of their record's name.
CREATE STREAM every (k BIGINT KEY) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_TYPES = '*', VALUE_SUBJECT_STRATEGY = 'TopicRecordName');
SELECT * FROM every WHERE k = 1;
DESCRIBE every;
CREATE STREAM shop (k BIGINT KEY) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_TYPES = 'com.shop.P*, com.shop.Lost', VALUE_SUBJECT_STRATEGY = 'TopicRecordName');
DESCRIBE shop;
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_TYPES = 'com.none.*', VALUE_SUBJECT_STRATEGY = 'TopicRecordName');
-- Two of the same simple name have their full names.
CREATE STREAM same WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_TYPES = 'com.shop.Placed,org.other.Placed', VALUE_SUBJECT_STRATEGY = 'TopicRecordName');
DESCRIBE same;
-- Rows that are refused: none, two, and a name of another type.
INSERT INTO events (k) VALUES (4);
INSERT INTO events (k, Placed, Shipped) VALUES (4, named_struct('orderId', 4, 'total', 1), named_struct('orderId', 4, 'carrier', 'x'));
INSERT INTO events (k, _type, Placed) VALUES (4, 'com.shop.Shipped', named_struct('orderId', 4, 'total', 1));
INSERT INTO events (k, Shipped) VALUES (4, named_struct('orderId', 4, 'carrier', NULL));
-- Twins that are refused.
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_TYPES = 'com.shop.Nothing', VALUE_SUBJECT_STRATEGY = 'TopicRecordName');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_TYPES = 'com.shop.Wrong', VALUE_SUBJECT_STRATEGY = 'TopicRecordName');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_TYPES = 'com.shop.Placed,com.shop.Placed');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_TYPES = 'com.shop.Placed', VALUE_SUBJECT_STRATEGY = 'TopicName');
CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_TYPES = 'com.shop.Placed');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_TYPES = 'com.shop.Placed', VALUE_SCHEMA_ID = ${id.placed});
CREATE STREAM e (a INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', VALUE_TYPES = 'com.shop.Placed');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'PROTOBUF', VALUE_TYPES = 'com.shop.Placed', VALUE_SUBJECT_STRATEGY = 'TopicRecordName');
CREATE STREAM e WITH (KAFKA_TOPIC = '${prefix}e', VALUE_TYPES = 'com.shop.Placed', VALUE_SUBJECT_STRATEGY = 'TopicRecordName') AS SELECT k FROM events;
ALTER STREAM events ADD COLUMN a INT;
