-- A table is made with TIME only if Spark can read it.
-- spark: 4.1 4.2
-- replace: \S*/checkpoints => ${checkpoints}
-- replace: CTAS_MADE_\d+ => CTAS_MADE_n
-- topic: ${prefix}s partitions=1
-- record: ${prefix}s {"k": 1, "t": "12:13:14"}
CREATE STREAM s (k INT, t TIME) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON');
CREATE TABLE made USING parquet TBLPROPERTIES ('TRIGGER' = 'available-now') AS SELECT k, t FROM s EMIT CHANGES;
CREATE TABLE made USING parquet TBLPROPERTIES ('TRIGGER' = 'available-now') AS SELECT array(named_struct('t', t)) AS l FROM s EMIT CHANGES;
SHOW TABLES LIKE 'made';
SET spark.sql.timeType.enabled=true;
CREATE TABLE made USING parquet TBLPROPERTIES ('TRIGGER' = 'available-now') AS SELECT k, t FROM s EMIT CHANGES;
SELECT * FROM made;
