-- What PARSE_DATE, PARSE_TIME and PARSE_TIMESTAMP make of texts that are not exactly as the pattern.
-- conf: spark.kafkalyst.dialect=ksqldb
-- spark: 4.1 4.2
-- topic: ${prefix}times partitions=1
-- record: ${prefix}times {"AT":"2021-01-05 10:30"}
CREATE STREAM s (k INT KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}s', PARTITIONS = 1, KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');
INSERT INTO s (k, v) VALUES (1, 2);
SELECT PARSE_DATE('2021-3-5', 'yyyy-MM-dd') AS digits, PARSE_DATE('2021-03-05 x', 'yyyy-MM-dd') AS more, PARSE_DATE('2021-02-30', 'yyyy-MM-dd') AS rolled, PARSE_DATE('5 MARCH 2021', 'd MMMM yyyy') AS cased, PARSE_DATE('2021', 'uuuu') AS year, PARSE_DATE('064', 'DDD') AS day, PARSE_DATE('2021-03-05T00:00', 'yyyy-MM-dd''T''HH:mm') AS midnight, PARSE_DATE('2021-03-05T10:00', 'yyyy-MM-dd''T''HH:mm') AS later, PARSE_DATE('x', 'yyyy') AS wrong, PARSE_DATE('2021', 'bad') AS pattern FROM s EMIT CHANGES LIMIT 1;
SELECT PARSE_TIME('10:30:05.123456', 'HH:mm:ss.SSSSSS') AS millis, PARSE_TIME('10:30', 'hh:mm') AS half, PARSE_TIME('10:30x', 'HH:mm') AS more, PARSE_TIME('10 pm', 'hh a') AS cased FROM s EMIT CHANGES LIMIT 1;
SELECT PARSE_TIMESTAMP('2021-01-01 10:30', 'yyyy-MM-dd hh:mm') AS half, PARSE_TIMESTAMP('10:30', 'mm:ss') AS minutes, PARSE_TIMESTAMP('2020-366', 'yyyy-DDD') AS leap, PARSE_TIMESTAMP('366', 'DDD') AS none, PARSE_TIMESTAMP('0229', 'MMdd') AS february, STRINGTOTIMESTAMP('10:30', 'hh:mm') AS bigint FROM s EMIT CHANGES LIMIT 1;
CREATE STREAM times (at STRING) WITH (KAFKA_TOPIC = '${prefix}times', VALUE_FORMAT = 'JSON', TIMESTAMP = 'at', TIMESTAMP_FORMAT = 'yyyy-MM-dd hh:mm');
SELECT at, ROWTIME FROM times EMIT CHANGES LIMIT 1;
