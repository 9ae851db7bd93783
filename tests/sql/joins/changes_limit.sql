-- Chains of streams and tables shown as they come, and no more rows than LIMIT says.
-- conf: spark.kafkalyst.identifiers=upper
-- conf: spark.sql.streaming.stateStore.providerClass=org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider
CREATE STREAM a (id INT KEY, va STRING) WITH (KAFKA_TOPIC = '${prefix}a', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE STREAM b (id INT KEY, vb STRING) WITH (KAFKA_TOPIC = '${prefix}b', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
CREATE TABLE t (id INT PRIMARY KEY, vt STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t (ROWTIME, id, vt) VALUES (50, 1, 't1'), (60, 2, 't2');
INSERT INTO a (ROWTIME, id, va) VALUES (100, 1, 'a1'), (200, 2, 'a2'), (300, 3, 'a3');
INSERT INTO b (ROWTIME, id, vb) VALUES (110, 1, 'b1'), (210, 2, 'b2');
SELECT a.id, va, vb, vt FROM a JOIN b WITHIN 1 SECOND ON a.id = b.id JOIN t ON a.id = t.id EMIT CHANGES;
SELECT a.id, va, vt, vb FROM a LEFT JOIN t ON a.id = t.id JOIN b WITHIN 1 SECOND ON a.id = b.id EMIT CHANGES;
SELECT va, vt FROM a JOIN t ON a.id = t.id WHERE a.id = 2 EMIT CHANGES LIMIT 1;
SELECT a.id FROM a JOIN t ON a.id = t.id EMIT CHANGES LIMIT 0;
-- Groups of a join's rows.
SELECT vt, COUNT(*) AS n FROM a LEFT JOIN t ON a.id = t.id GROUP BY vt EMIT CHANGES;
SELECT va, COUNT(*) AS n, MAX(vt) AS m FROM a LEFT JOIN t ON a.id = t.id GROUP BY va HAVING MAX(vt) = 't2' EMIT CHANGES;
