-- ksqlDB's scalar functions in a continuous query, family by family.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* \| => ${time} |
CREATE STREAM t (k INT KEY, s STRING, j STRING, u STRING, i INT, d DOUBLE, n DECIMAL(6, 3), arr ARRAY<INT>, m MAP<STRING, INT>, ms BIGINT, ts TIMESTAMP, dt DATE, nul STRING)
WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO t VALUES (1, 'Foo-Bar 12', '{"a":{"b":[1,"x"]},"c":null}', 'https://user@ksql.io:8080/a/b?q=1&w=%20z#frag', 2, -1.5, 12.345,
  array(3, 1, null, 3), map('x', 1, 'a', 2), 1577836800123, timestamp '2020-01-01 00:00:00.123', date '2020-02-29', null);
CREATE STREAM strings AS SELECT k, UCASE(s) AS a, LCASE(s) AS b, LEN(s) AS c, SUBSTRING(s, 2) AS d, SUBSTRING(s, -5, 3) AS e, SUBSTRING(s, -50, 3) AS f, SUBSTRING(s, 99) AS g,
  MASK(s) AS m1, MASK(s, '*', NULL, '#', NULL) AS m2, MASK_LEFT(s, 4) AS m3, MASK_RIGHT(s, 4) AS m4, MASK_KEEP_LEFT(s, 4) AS m5, MASK_KEEP_RIGHT(s, 99) AS m6,
  INSTR(s, 'o') AS i1, INSTR(s, 'o', -1) AS i2, INSTR(s, 'o', 1, 2) AS i3, INSTR(s, 'q') AS i4, LPAD('a', 3, 'xy') AS l, RPAD('abcd', 3, 'x') AS r, LPAD('a', 3, '') AS l0,
  SPLIT('a.b..c', '.') AS sp, SPLIT('abc', '') AS sc, SPLIT_TO_MAP('a=1;b=2;c;a=3', ';', '=') AS sm, CONCAT('a', nul, 'b') AS cc, CONCAT_WS('-', 'a', nul, 'b') AS cw,
  REPLACE(s, 'o', '0') AS re, TRIM('  x ') AS tr, INITCAP('the qUICK') AS ic, CHR(75) AS ch, CHR('\u004e') AS cu, FIELD('b', 'a', 'b') AS fi, FIELD(nul, 'a') AS fn, ELT(2, 'a', 'b') AS el,
  REGEXP_EXTRACT('(\w+)-(\w+)', s) AS rx, REGEXP_EXTRACT('(\w+)-(\w+)', s, 2) AS rx2, REGEXP_EXTRACT('zzz', s) AS rx3, REGEXP_EXTRACT_ALL('[oa]', s) AS ra, REGEXP_REPLACE(s, '\d', 'N') AS rr, REGEXP_SPLIT_TO_ARRAY(s, '[- ]') AS rs,
  ENCODE('hello', 'utf8', 'hex') AS en, FROM_BYTES(TO_BYTES('hello', 'utf8'), 'base64') AS fb, TO_BYTES('68', 'hex') AS tb, UCASE(nul) AS un FROM t;
PRINT '${prefix}STRINGS';
CREATE STREAM urls AS SELECT k, URL_EXTRACT_HOST(u) AS a, URL_EXTRACT_PATH(u) AS b, URL_EXTRACT_PORT(u) AS c, URL_EXTRACT_PROTOCOL(u) AS d, URL_EXTRACT_QUERY(u) AS e, URL_EXTRACT_FRAGMENT(u) AS f, URL_EXTRACT_PARAMETER(u, 'w') AS g, URL_ENCODE_PARAM('a b&') AS h, URL_DECODE_PARAM('a%20b%26') AS i FROM t;
PRINT '${prefix}URLS';
CREATE STREAM jsons AS SELECT k, EXTRACTJSONFIELD(j, '$.a.b[1]') AS a, EXTRACTJSONFIELD(j, '$.a') AS b, EXTRACTJSONFIELD(j, '$.c') AS c, EXTRACTJSONFIELD('nope', '$.c') AS d, IS_JSON_STRING(j) AS e, IS_JSON_STRING('{') AS f, IS_JSON_STRING(nul) AS g, JSON_ARRAY_LENGTH('[1,2]') AS h, JSON_ARRAY_CONTAINS('[1,"2"]', 2) AS i1, JSON_ARRAY_CONTAINS('[1,"2"]', '2') AS i2, JSON_KEYS(j) AS l, JSON_RECORDS(j) AS m1, JSON_ITEMS('[{"a":1},2]') AS m2, JSON_CONCAT('{"a":1}', '{"b":2}') AS n1, JSON_CONCAT('[1]', '2') AS n2, TO_JSON_STRING(arr) AS o, TO_JSON_STRING(s) AS p, TO_JSON_STRING(STRUCT(a := nul)) AS q, TO_JSON_STRING(nul) AS r FROM t;
PRINT '${prefix}JSONS';
CREATE STREAM collections AS SELECT k, ARRAY_LENGTH(arr) AS a, ARRAY_CONTAINS(arr, 1) AS b, ARRAY_CONTAINS(arr, CAST(NULL AS INT)) AS c, ARRAY_CONCAT(arr, ARRAY[9]) AS d, ARRAY_DISTINCT(arr) AS e, ARRAY_EXCEPT(arr, ARRAY[1]) AS f, ARRAY_INTERSECT(arr, ARRAY[1]) AS g, ARRAY_UNION(arr, ARRAY[1, 5]) AS h, ARRAY_JOIN(arr, '|') AS i1, ARRAY_MAX(arr) AS l, ARRAY_MIN(arr) AS mi, ARRAY_REMOVE(arr, 3) AS n1, ARRAY_SORT(arr) AS o, ARRAY_SORT(arr, 'DESC') AS p, AS_MAP(ARRAY['a', 'b'], ARRAY[1, 2]) AS q, ENTRIES(m, true) AS r, MAP_KEYS(m) AS ks, MAP_VALUES(m) AS vs, MAP_UNION(m, MAP('x' := 7, 'z' := 8)) AS mu, SLICE(arr, 2, 3) AS sl, SLICE(arr, 2, 9) AS s9, GENERATE_SERIES(1, 5, 2) AS gs, GENERATE_SERIES(3, 1) AS gd, GREATEST(1, i, 3) AS gr, LEAST(1, i) AS le FROM t;
PRINT '${prefix}COLLECTIONS';
CREATE STREAM numbers AS SELECT k, ABS(d) AS a, CEIL(d) AS b, FLOOR(d) AS c, ROUND(d) AS r1, ROUND(n) AS r2, ROUND(n, 1) AS r3, ROUND(2.5E0) AS r4, TRUNC(n, 1) AS t1, TRUNC(-1.7E0) AS t2, SIGN(d) AS s1, SQRT(4) AS sq, EXP(0) AS ex, LN(1.0E0) AS ln, POWER(2, 3) AS po, CEIL(n) AS cn, FLOOR(i) AS fi, GEO_DISTANCE(37.4439, -122.1663, 51.5257, -0.1122, 'km') AS geo FROM t;
DESCRIBE numbers;
PRINT '${prefix}NUMBERS';
CREATE STREAM times AS SELECT k, TIMESTAMPTOSTRING(ms, 'yyyy-MM-dd''T''HH:mm:ss.SSS') AS a, TIMESTAMPTOSTRING(ms, 'yyyy-MM-dd HH:mm', 'Asia/Tokyo') AS b, STRINGTOTIMESTAMP('2020-01-01', 'yyyy-MM-dd') AS c, STRINGTOTIMESTAMP('x', 'yyyy') AS d, FORMAT_TIMESTAMP(ts, 'HH:mm:ss.SSS') AS e, PARSE_TIMESTAMP('2020 01 02 03', 'yyyy MM dd HH') AS f, PARSE_DATE('02/2020', 'MM/yyyy') AS g, FORMAT_DATE(dt, 'dd.MM.yy') AS h, DATETOSTRING(18000, 'yyyy-MM-dd') AS i1, STRINGTODATE('1970-01-03', 'yyyy-MM-dd') AS l, UNIX_TIMESTAMP(ts) AS m1, UNIX_DATE(dt) AS n1, FROM_UNIXTIME(ms) AS o, FROM_DAYS(1) AS p, DATEADD(DAYS, 1, dt) AS q, DATESUB(DAYS, 1, dt) AS r, TIMESTAMPADD(HOURS, 2, ts) AS ta, TIMESTAMPSUB(MILLISECONDS, 23, ts) AS tsu, CONVERT_TZ(ts, 'UTC', 'Asia/Tokyo') AS cz FROM t;
DESCRIBE times;
PRINT '${prefix}TIMES';
CREATE STREAM wrong AS SELECT k, MASK_LEFT(s) FROM t;
CREATE STREAM wrong AS SELECT k, MASK_LEFT(s, 'x') FROM t;
CREATE STREAM wrong AS SELECT k, ARRAY_LENGTH(arr, 1, 2) FROM t;
CREATE STREAM wrong AS SELECT k, NO_SUCH(s) FROM t;
-- Those that Spark does not know stand in any statement.
SELECT mask_left('abc', 1), array_length(array(1)), json_items('[1]');
