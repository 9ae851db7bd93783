-- INSERT with ROWKEY and ROWVALUE in its column list: structs in place of the columns of either side.
CREATE STREAM two (ROWKEY STRUCT<k0 INT, k1 STRING>, ROWVALUE STRUCT<v INT, more ARRAY<INT>>) WITH (KAFKA_TOPIC = '${prefix}two', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO two (ROWKEY, ROWVALUE) VALUES (named_struct('k0', 1, 'k1', 'x'), named_struct('v', 2, 'more', array(3)));
INSERT INTO two (ROWVALUE, ROWKEY) SELECT ROWVALUE, ROWKEY FROM two;
INSERT INTO two (ROWKEY, v) VALUES (named_struct('k1', 'y', 'k0', 4), 5);
INSERT INTO two (rowvalue, k0) SELECT ROWVALUE, k0 + 10 FROM two WHERE k0 = 4;
SELECT * FROM two ORDER BY k0, k1;
INSERT INTO two (ROWKEY, k0) VALUES (named_struct('k0', 1, 'k1', 'x'), 2);
INSERT INTO two (ROWKEY) VALUES (named_struct('k0', 1));
INSERT INTO two (ROWKEY) VALUES (1);
INSERT INTO two (ROWKEY, ROWVALUE) VALUES (named_struct('k0', 1, 'k1', 'x'));
CREATE STREAM bare (ROWKEY INT, ROWVALUE INT) WITH (KAFKA_TOPIC = '${prefix}bare', FORMAT = 'JSON', KEY_FORMAT_TYPE = 'PLAIN', VALUE_FORMAT_TYPE = 'PLAIN', PARTITIONS = 1);
INSERT INTO bare (ROWVALUE, ROWKEY) VALUES (1, 2);
SELECT ROWKEY, ROWVALUE FROM bare;
