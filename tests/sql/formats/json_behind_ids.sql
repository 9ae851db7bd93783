-- JSON reads what JSON_SR wrote, in keys and values: schema ids are skipped.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
CREATE STREAM w (k STRING KEY, v INT, d DATE, n DECIMAL(4, 2)) WITH (KAFKA_TOPIC = '${prefix}w', FORMAT = 'JSON_SR', PARTITIONS = 1);
INSERT INTO w VALUES ('a', 1, date '2020-01-02', 1.50), (NULL, NULL, NULL, NULL);
CREATE STREAM r (k STRING KEY, V INT, d DATE, n DECIMAL(4, 2)) WITH (KAFKA_TOPIC = '${prefix}w', FORMAT = 'JSON');
INSERT INTO r VALUES ('b', 2, NULL, 2.5);
SELECT * FROM r;
SELECT count(*) AS n, sum(V) AS s FROM r;
