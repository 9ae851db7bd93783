-- ksqlDB's functions at their edges: Java's logarithms and quotients, texts that are not patterns, paths or series, casts within arrays and maps.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- replace: 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\S* \| => ${time} |
CREATE STREAM t (k INT KEY, s STRING, n STRING, i INT, b BIGINT, d DOUBLE, dec DECIMAL(6, 2), a ARRAY<INT>, m MAP<STRING, INT>, st STRUCT<x INT, key STRING>, ts TIMESTAMP, dt DATE, bytes BYTES)
WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t VALUES (1, 'foo bar', NULL, 7, 20, 2.5, 10.25, array(3, 1, null), map('a', 1), named_struct('X', 5, 'KEY', 'q'), timestamp '2021-01-01 00:00:00.123', date '2021-01-01', X'68656C6C6F');
CREATE STREAM numbers AS SELECT k, LN(0) AS ln0, LN(-1) AS ln1, LOG(2, 8) AS log, LOG(1, 8) AS base1, LOG(2, 0) AS log0, EXP(1) AS e, POWER(2, 3) AS p, d / 0 AS inf, d % 0 AS nan, i / 0 AS whole, dec / 0 AS dec0,
  ROUND(1E300) AS most, GENERATE_SERIES(5, 1, -2) AS down, GENERATE_SERIES(1, 5, -1) AS away, GENERATE_SERIES(1, b, 10) AS big FROM t;
PRINT '${prefix}NUMBERS';
-- No number is 0 as a BIGINT; texts that are not whole codes, or not whole base64.
CREATE STREAM ends AS SELECT k, ROUND(d / 0) AS most, ROUND(-d / 0) AS least, ROUND(d % 0) AS none, CHR('\u004bxyz\u004c') AS chr, CHR('\u4b') AS short, ENCODE('aGVs bG8', 'base64', 'utf8') AS blank, ENCODE('_-8=', 'base64', 'hex') AS url, TO_BYTES('aGVs bG8', 'base64') AS strict FROM t;
PRINT '${prefix}ENDS';
-- A BIGINT counts 19 digits beside a DECIMAL.
CREATE STREAM digits AS SELECT k, b + dec AS added, dec - b AS less, b * dec AS product, dec / b AS quotient, dec % b AS rest FROM t;
DESCRIBE digits;
PRINT '${prefix}DIGITS';
CREATE STREAM texts AS SELECT k, CHR('\ud83d\ude00') AS pair, CHR('004e') AS nochr, LEN('😀') AS two, LEN(bytes) AS len, INITCAP('the  qUICK' + s) AS cap, '<' + TRIM(CHR(9) + ' x ') + '>' AS trimmed, REPLACE('abc', '', '-') AS every,
  REGEXP_REPLACE(s, '(o)', '$1$1') AS groups, REGEXP_REPLACE(s, '(', '') AS nopattern, REGEXP_SPLIT_TO_ARRAY('abc', '') AS letters, SPLIT_TO_MAP('a=1&b&c=&d=2=3', '&', '=') AS map, SPLIT_TO_MAP(s, '', '=') AS nomap,
  UUID(bytes) AS nouuid, UUID(TO_BYTES('0123456789abcdef', 'ascii')) AS uuid, CONCAT_WS('-', 'a', n, 'b') AS ws, CONCAT_WS(n, 'a') AS nows, FROM_BYTES(CONCAT_WS(TO_BYTES('-', 'utf8'), bytes, NULL, bytes), 'utf8') AS bws, FROM_BYTES(CONCAT(bytes, bytes), 'utf8') AS bc FROM t;
PRINT '${prefix}TEXTS';
CREATE STREAM jsons AS SELECT k, EXTRACTJSONFIELD('{"a b":{"c":null}}', '$["a b"].c') AS nul, EXTRACTJSONFIELD('{"a":[1.50,"x"]}', '$.a') AS arr, EXTRACTJSONFIELD('[[7]]', '$[0][0]') AS place, EXTRACTJSONFIELD('{"a":1}', 'a') AS nopath, EXTRACTJSONFIELD('{"a":1}', '$.a.b') AS nothing,
  JSON_ARRAY_CONTAINS('no', 1) AS no, TO_JSON_STRING(ts) AS ts, TO_JSON_STRING(STRUCT(a := dec, b := n, c := dt, d := m, e := bytes)) AS st, INT_FROM_BYTES(TO_BYTES('00000001', 'hex'), 'MIDDLE') AS noorder FROM t;
PRINT '${prefix}JSONS';
CREATE STREAM casts AS SELECT k, CAST(m AS STRING) AS m, CAST(st AS STRING) AS st, CAST(ARRAY[ts] AS STRING) AS a, CAST(ARRAY['7.9', ' 7 '] AS ARRAY<INT>) AS ints, CAST(ARRAY[ts] AS ARRAY<STRING>) AS times, CAST(MAP('a' := 'yes') AS MAP<STRING, BOOLEAN>) AS flags FROM t;
PRINT '${prefix}CASTS';
CREATE STREAM others AS SELECT k, ARRAY_JOIN(a, NULL) AS joined, ARRAY_SORT(a, 'Descending') AS down, ARRAY_SORT(a, 'up') AS noorder, TRANSFORM(a, (x) => x + 1) AS bracketed,
  FORMAT_DATE(dt, 'EEEE, MMMM') AS names, PARSE_DATE('2021-01-01 10', 'yyyy-MM-dd HH') AS notdate, 'a\b' LIKE 'a\_' AS backslash, 'a_b' LIKE 'a!_b' ESCAPE '!' AS escaped, st->key AS word FROM t;
PRINT '${prefix}OTHERS';
DESCRIBE t;
CREATE STREAM e AS SELECT k, CASE WHEN i > 1 THEN i ELSE b END AS x FROM t;
EXPLAIN CREATE STREAM e AS SELECT k, LCASE(i) AS x FROM t;
CREATE STREAM nulls AS SELECT k, URL_EXTRACT_PARAMETER('http://a?x=1&flag', 'flag') AS flag, MASK('aB1', '', 'y', 'z', 'w') AS nomask, MASK('aB1', NULL, 'y', 'z', 'w') AS kept, MASK_LEFT('aB1', CAST(n AS INT)) AS nocount, REDUCE(a, CAST(n AS INT), (s0, x) => COALESCE(s0, 0) + 1) AS nostart, CAST(dt AS DATE) AS same FROM t;
PRINT '${prefix}NULLS';
-- NULL beside ARRAYs and MAPs has their type.
CREATE STREAM untyped AS SELECT k, ARRAY_UNION(a, NULL) AS u, ARRAY_EXCEPT(NULL, a) AS e, ARRAY_INTERSECT(a, NULL) AS i, ARRAY_CONCAT(a, NULL) AS c, ARRAY_CONTAINS(NULL, 1) AS found, ARRAY_REMOVE(NULL, 1) AS removed, AS_MAP(NULL, a) AS am, MAP_UNION(NULL, m) AS mu FROM t;
PRINT '${prefix}UNTYPED';
-- A cast within an ARRAY, MAP or STRUCT that fails makes all of it null; ARRAY_JOIN takes numbers, texts and BOOLEANs.
CREATE STREAM within AS SELECT k, CAST(ARRAY['7', n] AS ARRAY<INT>) AS a, CAST(ARRAY[ARRAY['7', s]] AS ARRAY<ARRAY<INT>>) AS a2, CAST(MAP('1' := '2') AS MAP<INT, DOUBLE>)[1] AS m, CAST(MAP(s := '2') AS MAP<INT, DOUBLE>)[1] AS m2,
  CAST(STRUCT(a := '1', b := ARRAY['2']) AS STRUCT<a INT, b ARRAY<INT>, c STRING>) AS st, CAST(STRUCT(a := '1', b := s) AS STRUCT<a INT, b INT>) AS st2, CAST(ARRAY[STRUCT(a := s)] AS ARRAY<STRUCT<a INT>>) AS st3,
  ARRAY_JOIN(ARRAY[st]) AS joined, ARRAY_JOIN(ARRAY[1, NULL], '') AS ones, ARRAY[TRUE, 'ye', 'F'] AS flags FROM t;
PRINT '${prefix}WITHIN';
CREATE STREAM wrong AS SELECT k, ARRAY[TRUE, 'maybe'] AS flags FROM t;
-- All arguments are looked at before they are merged, a match found backwards lies before the position, part of a day is cut towards 1970.
CREATE STREAM wholes AS SELECT k, JSON_CONCAT('{"a":1}', '{"b":2}', '[3]') AS mixed, JSON_CONCAT('{"a":1}', '{"b":2}', '{"a":3}') AS objects, JSON_CONCAT('1') AS one, INSTR('corporate floor', 'or', -2) AS back, INSTR('corporate floor', 'or', -1, 2) AS second, INSTR('abc', 'a', -4) AS beyond, INSTR('abc', 'abc', -1) AS all_of_it,
  INITCAP('  the qUICK') AS cap, SPLIT_TO_MAP('a=b', '=', '=') AS equals, DATESUB(HOURS, 1, PARSE_DATE('1970-01-01', 'yyyy-MM-dd')) AS cut, DATESUB(HOURS, 25, PARSE_DATE('1970-01-01', 'yyyy-MM-dd')) AS day, GEO_DISTANCE(12.34, -5.67, -23.45, 89.01) AS km, GEO_DISTANCE(12.34, -5.67, -23.45, 89.01, ' Mi ') AS mi, GEO_DISTANCE(12.34, -5.67, -23.45, 89.01, n) AS nounit FROM t;
PRINT '${prefix}WHOLES';
