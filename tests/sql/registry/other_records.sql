-- Records of another type in the topic, by Avro's rules: other names, and fields that are missing.
-- schema: placed ${prefix}t-com.shop.Placed {"type":"record","name":"Placed","namespace":"com.shop","fields":[{"name":"orderId","type":"long"},{"name":"total","type":["null","double"],"default":null}]}
-- schema: lost ${prefix}t-com.shop.Lost {"type":"record","name":"Lost","namespace":"com.shop","fields":[{"name":"orderId","type":"long"}]}
-- schema: elsewhere ${prefix}t-org.other.Placed {"type":"record","name":"Placed","namespace":"org.other","fields":[{"name":"orderId","type":"long"}]}
-- schema: short ${prefix}t-org.other.Short {"type":"record","name":"Placed","namespace":"org.short","fields":[{"name":"total","type":["null","double"],"default":null}]}
-- schema: later ${prefix}later {"type":"record","name":"Sent","namespace":"com.shop","aliases":["Lost"],"fields":[{"name":"orderId","type":"long"},{"name":"by","type":"string","default":"post"}]}
-- replace: schema id \d+ => schema id n
-- replace: offset \d+ => offset n
-- replace: begins with [0-9a-f ]+ => begins with these
CREATE STREAM placed WITH (KAFKA_TOPIC = '${prefix}t', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}t-com.shop.Placed');
INSERT INTO placed VALUES (1, 9.5);
CREATE STREAM elsewhere WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}t-org.other.Placed');
INSERT INTO elsewhere VALUES (2);
SELECT * FROM placed;
CREATE STREAM lost WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}t-com.shop.Lost');
INSERT INTO lost VALUES (3);
SELECT * FROM placed;
SELECT count(*), sum(total) FROM placed;
CREATE STREAM some WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}t-com.shop.Placed', ON_ERROR = 'skip');
SELECT * FROM some;
CREATE STREAM fields (orderId BIGINT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO');
SELECT * FROM fields;
CREATE STREAM none (x BIGINT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}none');
SELECT * FROM none;
CREATE STREAM short WITH (KAFKA_TOPIC = '${prefix}s', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = ${id.short});
INSERT INTO short VALUES (1.5);
CREATE STREAM whole WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', VALUE_SUBJECT = '${prefix}t-com.shop.Placed');
SELECT * FROM whole;
CREATE STREAM old WITH (KAFKA_TOPIC = '${prefix}o', PARTITIONS = 1, VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = ${id.lost});
INSERT INTO old VALUES (4);
CREATE STREAM sent WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'AVRO', VALUE_SCHEMA_ID = ${id.later});
SELECT * FROM sent;
