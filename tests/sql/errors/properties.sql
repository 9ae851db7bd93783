-- The properties of the WITH clause as ksqlDB has them: which are taken, what they must be, and what they go with.
-- conf: spark.kafkalyst.identifiers=upper
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (CSAS|CTAS|INSERTQUERY)_([A-Z0-9]+)_\d+ => ${query}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${time}
CREATE STREAM a (v INT) WITH (kafka_topic='${prefix}a', value_format='json', partitions=1, replicas=1);
CREATE STREAM b (v INT) WITH (kafka_topic='', value_format='json', partitions=1);
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='json', retention_ms=1000);
CREATE STREAM rt (v INT) WITH (kafka_topic='${prefix}rt', value_format='json', partitions=1, retention_ms=1000);
CREATE TABLE b1 (k STRING PRIMARY KEY, v INT) WITH (kafka_topic='${prefix}rt2', value_format='json', partitions=1, retention_ms=1000);
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='json', cleanup_policy='compact');
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='json', value_delimiter='|');
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='delimited', value_delimiter='||');
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='delimited', value_delimiter=' ');
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='delimited', value_delimiter='');
CREATE STREAM d1 (v INT, w INT) WITH (kafka_topic='${prefix}d1', partitions=1, value_format='delimited', value_delimiter='TAB');
CREATE STREAM d2 (k STRING KEY, k2 INT KEY, v INT, w INT) WITH (kafka_topic='${prefix}d2', partitions=1, format='delimited', value_delimiter='SPACE', key_delimiter='$');
INSERT INTO d1 VALUES (1,2);
INSERT INTO d2 VALUES ('a',2,3,4);
PRINT '${prefix}d1';
PRINT '${prefix}d2';
SELECT * FROM d2;
CREATE STREAM b (k STRING KEY, v INT) WITH (kafka_topic='${prefix}a', key_format='KAFKA', value_format='delimited', key_delimiter='|');
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='json', value_protobuf_nullable_representation='OPTIONAL');
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='protobuf', value_protobuf_nullable_representation='MAYBE');
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='json', value_schema_full_name='X');
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='delimited', value_schema_full_name='X');
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='protobuf_nosr', value_schema_full_name='X');
CREATE STREAM b (k INT KEY, v INT) WITH (kafka_topic='${prefix}a', value_format='avro', key_schema_full_name='X');
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='avro', value_schema_full_name='X', value_avro_schema_full_name='Y');
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='avro', value_schema_full_name=' ');
CREATE STREAM avfn (v INT) WITH (kafka_topic='${prefix}avfn', partitions=1, value_format='avro', value_avro_schema_full_name='Y.z');
CREATE STREAM src1 (v STRING) WITH (kafka_topic='${prefix}a', value_format='json', sourced_by_connector='c');
CREATE STREAM src2 (v STRING) WITH (kafka_topic='${prefix}a', value_format='json', source_connector='c');
CREATE STREAM cas1 WITH (sourced_by_connector='x') AS SELECT * FROM a;
CREATE STREAM cas2 WITH (window_type='TUMBLING') AS SELECT * FROM a;
CREATE STREAM cas3 WITH (kafka_topic='') AS SELECT * FROM a;
CREATE STREAM sink (v INT) WITH (kafka_topic='${prefix}sink', value_format='json', partitions=1);
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format=1);
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='json', partitions='x');
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}nn', value_format='json', partitions=1, replicas=99);
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='json', wrap_single_value='maybe');
CREATE STREAM b (v INT) WITH (kafka_topic='${prefix}a', value_format='avro', value_schema_id='x');
CREATE STREAM cas4 AS SELECT * FROM a;
CREATE STREAM `cas5` AS SELECT * FROM a;
CREATE STREAM cas6 WITH (partitions=3, replicas=1, retention_ms=5000) AS SELECT * FROM a;
CREATE STREAM x_a (v INT) WITH (kafka_topic='${prefix}xa', value_format='json', partitions=1, retention_ms=1000);
CREATE STREAM x_a2 (v INT) WITH (kafka_topic='${prefix}xa', value_format='json', retention_ms=1000);
CREATE STREAM x_a3 (v INT) WITH (kafka_topic='${prefix}xa', value_format='json', retention_ms=2000);
CREATE STREAM x_a3 (v INT) WITH (kafka_topic='${prefix}xa', value_format='json', retention_ms='x');
CREATE TABLE x_t1 (k STRING PRIMARY KEY, v INT) WITH (kafka_topic='${prefix}t1', value_format='json', partitions=1, retention_ms=1000);
CREATE TABLE x_t1 (k STRING PRIMARY KEY, v INT) WITH (kafka_topic='${prefix}t1', value_format='json', partitions=1);
CREATE TABLE x_t2 (k STRING PRIMARY KEY, v INT) WITH (kafka_topic='${prefix}t2', value_format='json', partitions=1, retention_ms=1000, window_type='session');
CREATE STREAM x_b (v INT) WITH (kafka_topic='${prefix}xa', value_format='json', cleanup_policy='compact');
CREATE STREAM x_b (v INT) WITH (kafka_topic='${prefix}xa', value_format='json', sourced_by_connector='c');
CREATE STREAM x_c1 WITH (source_connector='c') AS SELECT * FROM x_b;
CREATE STREAM x_c1 WITH (window_type='session') AS SELECT * FROM x_b;
CREATE STREAM x_c2 WITH (partitions=7, kafka_topic='${prefix}xa') AS SELECT * FROM x_b;
