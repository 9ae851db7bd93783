-- Sums and means of changes keep all digits of DECIMALs, as those of rows do.
-- topic: ${prefix}cdc partitions=1
-- record: ${prefix}cdc {"before":null,"after":{"id":1,"g":1,"m":1.0000000001,"r":0.25},"op":"c"}
-- record: ${prefix}cdc {"before":null,"after":{"id":2,"g":1,"m":2.0000000002,"r":0.5},"op":"c"}
-- record: ${prefix}cdc {"before":{"id":2,"g":1,"m":2.0000000002,"r":0.5},"after":{"id":2,"g":1,"m":4.0000000004,"r":0.625},"op":"u"}
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: file:\S*/checkpoints => ${checkpoints}
-- replace: INSERTQUERY_\d+ => ${insert}
CREATE TABLE cdc (id INT, g INT, m DECIMAL(30,10), r DECIMAL(4,4)) WITH ('connector' = 'kafka', 'topic' = '${prefix}cdc', 'format' = 'debezium-json');
CREATE TABLE sums (g INT, m DECIMAL(38,10), r DECIMAL(14,4), am DECIMAL(38,10), ar DECIMAL(8,8), PRIMARY KEY (g) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}sums', 'PARTITIONS' = '1', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO sums SELECT g, SUM(m), SUM(r), AVG(m), AVG(r) FROM cdc GROUP BY g EMIT CHANGES;
SELECT * FROM sums;
SELECT g, SUM(m), SUM(r), AVG(m), AVG(r) FROM cdc GROUP BY g;
