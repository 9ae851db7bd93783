-- ALTER TABLE refuses Flink's options that an entry would keep without effect, and names what has that effect.
-- topic: ${prefix}t partitions=1
-- record: ${prefix}t key={"k_id":1} {"v": "a"}
CREATE STREAM s (k_id INT KEY, v STRING) WITH (KAFKA_TOPIC = '${prefix}t', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');
CREATE STREAM nokey (v STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
ALTER TABLE s SET TBLPROPERTIES ('key.fields' = 'v');
ALTER TABLE s SET TBLPROPERTIES ('key.fields' = 'k_id');
ALTER TABLE nokey SET TBLPROPERTIES ('Key.Fields' = 'v');
ALTER TABLE nokey SET TBLPROPERTIES ('key.fields-prefix' = 'v');
ALTER TABLE s SET TBLPROPERTIES ('key.fields-prefix' = 'x_');
CREATE TABLE f (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}t', 'format' = 'json');
ALTER TABLE f SET TBLPROPERTIES ('topic' = 'other');
ALTER TABLE s SET TBLPROPERTIES ('connector' = 'upsert-kafka');
ALTER TABLE s SET TBLPROPERTIES ('value.format' = 'avro', 'team' = 'x');
ALTER TABLE s SET TBLPROPERTIES ('key.format' = 'avro');
ALTER TABLE f SET TBLPROPERTIES ('value.json.ignore-parse-errors' = 'true');
ALTER TABLE s SET TBLPROPERTIES ('sink.semantic' = 'exactly-once');
ALTER TABLE s SET TBLPROPERTIES ('scan.startup.mode' = 'earliest-offset', 'sink.parallelism' = '2');
SHOW TBLPROPERTIES s;
SELECT count(*) FROM s WITH (on_error = 'null');
