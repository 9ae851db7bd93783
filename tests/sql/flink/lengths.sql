-- INSERT cuts and pads texts and bytes to the declared lengths, as Flink's implicit cast does.
-- replace: /\S*/checkpoints => ${checkpoints}
-- replace: file:\S*/checkpoints => ${checkpoints}
-- replace: INSERTQUERY_\d+ => ${insert}
-- conf: spark.sql.session.timeZone=Asia/Kolkata
CREATE TABLE lens (a VARCHAR(3), b CHAR(5), c VARBINARY(2), d BINARY(4), e CHARACTER VARYING(2), f BINARY VARYING(1), g CHAR NOT NULL, h STRING, i BYTES) WITH ('connector' = 'kafka', 'topic' = '${prefix}lens', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO lens VALUES ('abcdef', 'ab', X'010203', X'01', 'xyz', X'0102', 'long', 'abcdef', X'010203'), ('a', 'abcdef', X'01', X'0102030405', '', X'', 'g', '', X''), (NULL, NULL, NULL, NULL, NULL, NULL, '', NULL, NULL);
INSERT INTO lens (a, g) VALUES ('äöüß', 'ß');
CREATE TABLE raw_lens (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}lens', 'format' = 'raw');
SELECT * FROM raw_lens;
DESCRIBE lens;
-- BINARY alone is Spark's type.
CREATE TABLE whole (b BINARY COMMENT 'whole', c BINARY NOT NULL, d BINARY(2) NOT NULL COMMENT 'cut') WITH ('connector' = 'kafka', 'topic' = '${prefix}whole', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO whole VALUES (X'010203', X'010203', X'010203');
SELECT hex(b), hex(c), hex(d) FROM whole;
-- A column of another type is cast first, and keys are cut, too.
CREATE TABLE keyed (k VARCHAR(2), n CHAR(3), PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}keyed', 'key.format' = 'raw', 'value.format' = 'json', 'PARTITIONS' = '1');
INSERT INTO keyed VALUES ('abc', 1), ('abd', 22222);
SELECT k, CONCAT('[', n, ']') FROM keyed;
-- DELETE takes only keys of the declared length.
DELETE FROM keyed WHERE k = 'abc';
SELECT k FROM keyed;
DELETE FROM keyed WHERE k = 'ab';
SELECT k FROM keyed;
-- A continuous query does the same.
CREATE TABLE copied (d BINARY(4), a VARCHAR(2)) WITH ('connector' = 'kafka', 'topic' = '${prefix}copied', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO copied SELECT c, h FROM lens WHERE c IS NOT NULL EMIT CHANGES;
CREATE TABLE raw_copied (v STRING) WITH ('connector' = 'kafka', 'topic' = '${prefix}copied', 'format' = 'raw');
SELECT * FROM raw_copied;
-- Casts of computed columns, and those of queries that only Flink has.
CREATE TABLE cuts (a STRING, b BYTES, at TIMESTAMP(6), z TIMESTAMP_LTZ(6),
  v2 AS CAST(a AS VARCHAR(2)), c8 AS CAST(a AS CHAR(8)), c1 AS CAST(a AS CHAR), e AS TRY_CAST(a AS CHARACTER VARYING(3)),
  b1 AS CAST(b AS VARBINARY(1)), b4 AS CAST(b AS BINARY(4)), bv AS CAST(b AS BINARY VARYING(2)),
  t0 AS CAST(at AS TIMESTAMP(0)), t3 AS CAST(at AS TIMESTAMP(3)), z0 AS CAST(z AS TIMESTAMP_LTZ(0)), t6 AS CAST(at AS TIMESTAMP(6)),
  both_ AS CONCAT(CAST(a AS VARCHAR(1)), CAST(CAST(a AS VARCHAR(3)) AS CHAR(4)), '|')
) WITH ('connector' = 'kafka', 'topic' = '${prefix}cuts', 'format' = 'json', 'PARTITIONS' = '1');
INSERT INTO cuts VALUES ('abcdef', X'010203', TIMESTAMP_NTZ'1969-12-31 23:59:59.987654', TIMESTAMP'2024-05-06 07:08:09.987654');
SELECT v2, c8, c1, e, hex(b1), hex(b4), hex(bv), both_ FROM cuts;
SELECT CAST(t0 AS STRING), CAST(t3 AS STRING), CAST(z0 AS STRING), CAST(t6 AS STRING) FROM cuts;
SELECT hex(CAST(b AS VARBINARY(2))), hex(TRY_CAST(b AS BINARY(5))), CAST(a AS CHAR VARYING(3)), CAST(a AS CHARACTER), CAST(a AS VARCHAR) FROM cuts;
SELECT CAST(CAST(at AS TIMESTAMP(0)) AS STRING) AS t0, CAST(TRY_CAST('1969-12-31 23:59:59.9876' AS TIMESTAMP(3)) AS STRING) AS t3, CAST(CAST(z AS TIMESTAMP_LTZ(0)) AS STRING) AS z0, CAST(CAST(at AS TIMESTAMP(9)) AS STRING) AS t9 FROM cuts;
CREATE TABLE x (a INT, t AS CAST(a AS TIMESTAMP(3))) WITH ('connector' = 'kafka', 'topic' = '${prefix}cuts', 'format' = 'json');
SELECT CAST(1 AS TIMESTAMP(3)) FROM cuts;
-- A text that is Spark's is Spark's.
SELECT CAST(a AS VARCHAR(2)), CAST(a AS CHAR(8)) FROM cuts;
