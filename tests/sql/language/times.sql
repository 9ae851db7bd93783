-- TIME, which Spark has from 4.1 on: milliseconds of the day in records, as ksqlDB has them.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
-- replace: 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
-- topic: ${prefix}t partitions=1
-- record: ${prefix}t key=1 {"AT": 36672123, "TEXT": "23:59", "TS": 1767243967000, "MS": 1000}
-- record: ${prefix}t key=2 {"AT": "23:59:59", "TEXT": "none"}
-- record: ${prefix}t key=3 {"AT": null}
-- spark: 4.1 4.2
CREATE STREAM t (k STRING KEY, at TIME, text STRING, ts TIMESTAMP, ms INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
DESCRIBE t;
SELECT * FROM t;
CREATE STREAM functions AS SELECT k, FORMAT_TIME(at, 'HH-mm-ss.SSS') AS shown, FORMAT_TIME(ms, 'HH:mm:ss') AS of_ms, PARSE_TIME(text, 'HH:mm') AS parsed,
  TIMEADD(HOURS, 14, at) AS later, TIMESUB(MINUTES, 12, at) AS earlier, TIMEADD(MILLISECONDS, 5, ms) AS ms FROM t;
DESCRIBE functions;
PRINT '${prefix}FUNCTIONS';
SELECT k, later, earlier FROM functions;
CREATE STREAM casts AS SELECT k, CAST(at AS STRING) AS text, CAST(text AS TIME) AS at, CAST(ts AS TIME) AS of_ts, CAST(at AS TIME) AS same, at = '10:11:12.123' AS eq, at > '12:00' AS gt,
  at BETWEEN '10:00' AND '11:00' AS btw, at IN ('10:11:12.123', '01:00') AS isin FROM t;
PRINT '${prefix}CASTS';
CREATE STREAM chosen AS SELECT k, at FROM t WHERE at < '11:00';
PRINT '${prefix}CHOSEN';
CREATE TABLE latest AS SELECT 'all' AS g, MAX(at) AS newest, LATEST_BY_OFFSET(at) AS last, COLLECT_LIST(at) AS list, COUNT(at) AS n FROM t GROUP BY 'all';
SELECT * FROM latest;
CREATE STREAM avros WITH (VALUE_FORMAT = 'AVRO') AS SELECT k, at, ARRAY[at] AS list FROM t;
SELECT * FROM avros;
CREATE STREAM delimited WITH (VALUE_FORMAT = 'DELIMITED') AS SELECT k, at FROM t;
PRINT '${prefix}DELIMITED';
SELECT * FROM delimited;
CREATE STREAM json_sr WITH (VALUE_FORMAT = 'JSON_SR') AS SELECT k, at FROM t;
SELECT * FROM json_sr;
CREATE STREAM by_time WITH (KEY_FORMAT = 'JSON') AS SELECT at, k FROM t PARTITION BY at;
PRINT '${prefix}BY_TIME';
CREATE STREAM proto WITH (VALUE_FORMAT = 'PROTOBUF') AS SELECT k, at, ARRAY[at] AS list FROM t WHERE at IS NOT NULL;
SELECT k, at FROM proto;
CREATE STREAM inferred (k STRING KEY) WITH (KAFKA_TOPIC = '${prefix}PROTO', VALUE_FORMAT = 'PROTOBUF');
SELECT k, at, list FROM inferred;
CREATE STREAM proto_nosr WITH (VALUE_FORMAT = 'PROTOBUF_NOSR') AS SELECT k, at FROM t;
SELECT * FROM proto_nosr;
CREATE STREAM wrong AS SELECT k, FORMAT_TIME(text, 'HH') AS x FROM t;
INSERT INTO t VALUES ('4', TIME '12:30:00', NULL, NULL, NULL);
SELECT at FROM t WHERE k = '4';
