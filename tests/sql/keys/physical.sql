-- The physical view: ROWKEY and ROWVALUE with their types, beside the logical view of the same topics.
-- topic: ${prefix}two partitions=1
-- topic: ${prefix}one partitions=1
-- topic: ${prefix}bare partitions=1
CREATE STREAM two (ROWKEY STRUCT<k0 INT, k1 INT>, ROWVALUE STRUCT<v0 INT, v1 INT>) WITH (KAFKA_TOPIC = '${prefix}two', FORMAT = 'JSON');
CREATE STREAM two_logical (k0 INT KEY, k1 INT KEY, v0 INT, v1 INT) WITH (KAFKA_TOPIC = '${prefix}two', FORMAT = 'JSON');
INSERT INTO two VALUES (1, 2, 3, 4), (5, null, null, null);
SELECT * FROM two ORDER BY k0;
SELECT * FROM two_logical ORDER BY k0;
SELECT k0, v0, ROWKEY->k1, two.ROWVALUE->v1 FROM two ORDER BY k0;
CREATE STREAM one (ROWKEY STRUCT<k0 ARRAY<INT>>, ROWVALUE STRUCT<v0 INT>) WITH (KAFKA_TOPIC = '${prefix}one', FORMAT = 'JSON');
CREATE STREAM one_logical (k0 ARRAY<INT> KEY, v0 INT) WITH (KAFKA_TOPIC = '${prefix}one', FORMAT = 'JSON', KEY_FORMAT_TYPE = 'STRUCTURED');
INSERT INTO one_logical VALUES (array(123, 456), 1);
PRINT '${prefix}one';
SELECT * FROM one;
CREATE STREAM bare (ROWKEY ARRAY<INT>, ROWVALUE INT) WITH (KAFKA_TOPIC = '${prefix}bare', FORMAT = 'JSON');
CREATE STREAM bare_logical (k ARRAY<INT> KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}bare', FORMAT = 'JSON', KEY_FORMAT_TYPE = 'PLAIN', VALUE_FORMAT_TYPE = 'PLAIN');
INSERT INTO bare VALUES (array(123, 456), 7);
PRINT '${prefix}bare';
SELECT ROWKEY, ROWVAL, ROWVALUE FROM bare;
SELECT ROWKEY AS k0, ROWVALUE AS v FROM bare;
SELECT * FROM bare_logical;
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
