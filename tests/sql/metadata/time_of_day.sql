-- TIME, which Spark has from 4.1 on, and the record's timestamp: as Flink casts them.
-- spark: 4.1 4.2
-- conf: spark.sql.timeType.enabled=true
CREATE TABLE t (id BIGINT, at TIME(3) METADATA FROM 'timestamp') WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'PARTITIONS' = '1', 'format' = 'json');
CREATE TABLE whole (id BIGINT, at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp') WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
INSERT INTO t VALUES (1, TIME '10:11:12.5'), (2, TIME '00:00:00');
SELECT * FROM t;
SELECT * FROM whole;
CREATE TABLE n (id BIGINT, at TIMESTAMP(3) METADATA FROM 'timestamp', h MAP<STRING, STRING> METADATA FROM 'headers') WITH ('connector' = 'kafka', 'topic' = '${prefix}n', 'PARTITIONS' = '1', 'format' = 'json');
INSERT INTO n VALUES (1, TIMESTAMP_NTZ '2024-01-02 03:04:05.6789', MAP('a', 'b'));
SELECT * FROM n;
