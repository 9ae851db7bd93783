-- Values at which Java's and ksqlDB's own rules show: lists in texts, BYTES, NaN, line ends, texts of times.
-- spark: 4.1 4.2
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- conf: spark.kafkalyst.on.error=skip
-- topic: ${prefix}j
-- record: ${prefix}j key=a {"T":["a",1,null,{"x":1.50,"y":[1]},[2,"q"],1e5,true],"N":5,"D":"1.5"}
-- record: ${prefix}j key=b {"T":{"x":[1,2]},"N":" 5"}
-- record: ${prefix}j key=c {"T":1e5,"N":"6","D":" 1.5"}
-- record: ${prefix}j key=d {"T":1.50,"N":"7"}
-- record: ${prefix}j key=e {"T":[],"N":8,"D":"2.5"}
-- topic: ${prefix}n
-- record: ${prefix}n key=a {"T":"x","FOO":1,"n":2}
-- record: ${prefix}n key=b {"t":"x","Foo":1,"N":2,"n":3}
-- record: ${prefix}n key=c {"foo":1,"n":2}
-- topic: ${prefix}d
-- record: ${prefix}d key=a 1,yes,2.5
-- record: ${prefix}d key=b  2,true, 2.5
-- record: ${prefix}d key=c 3,TRUE, 3.5
-- record: ${prefix}d key=d 4,,4.5
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (C[ST]AS|INSERTQUERY)_?[A-Z0-9_]*_\d+ => ${query}
-- replace: 202\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${now}
CREATE STREAM j (k STRING KEY, t STRING, n INT, d DECIMAL(3, 1)) WITH (KAFKA_TOPIC = '${prefix}j', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
CREATE STREAM lists AS SELECT * FROM j;
PRINT '${prefix}LISTS';
CREATE STREAM d (k STRING KEY, n INT, b BOOLEAN, d DOUBLE) WITH (KAFKA_TOPIC = '${prefix}d', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'DELIMITED');
CREATE STREAM fields AS SELECT * FROM d;
PRINT '${prefix}FIELDS';

CREATE STREAM m (id INT KEY, m MAP<STRING, INT>, c TIME, b BYTES, s STRING, d DOUBLE) WITH (KAFKA_TOPIC = '${prefix}m', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO m VALUES (1, MAP('a' := 1, 'b' := NULL), '10:11:12.345', 'gA==', 'a
b', 1.0);
INSERT INTO m VALUES (2, MAP('a' := 1, 'b' := 2), '10:11', 'AQ==', 'a%b', 2.0);
CREATE STREAM entries AS
  SELECT id, TRANSFORM(m, (k, v) => k, (k, v) => v) AS same, TRANSFORM(m, (k, v) => 'x', (k, v) => v) AS one,
    TRANSFORM(m, (k, v) => UCASE(k), (k, v) => v + 1) AS more, TO_JSON_STRING(c) AS time, TO_JSON_STRING(ARRAY[c]) AS times
  FROM m;
PRINT '${prefix}ENTRIES';
CREATE STREAM bytes AS
  SELECT id, b < TO_BYTES('01', 'hex') AS less, b > TO_BYTES('01', 'hex') AS more, GREATEST(b, TO_BYTES('01', 'hex')) AS g,
    LEAST(b, TO_BYTES('01', 'hex')) AS l
  FROM m;
PRINT '${prefix}BYTES';
CREATE TABLE ordered AS SELECT 1 AS one, MIN(b) AS least, MAX(b) AS most FROM m GROUP BY 1;
PRINT '${prefix}ORDERED';
CREATE STREAM likes AS
  SELECT id, s LIKE 'a%' AS a, s LIKE 'a_b' AS b, s LIKE 'a!%b' ESCAPE '!' AS c, s NOT LIKE 'a%' AS d, s LIKE NULL AS e
  FROM m;
PRINT '${prefix}LIKES';
CREATE STREAM numbers AS
  SELECT id, LN(-1) = LN(-1) AS a, LN(-1) <> LN(-1) AS b, LN(-1) > 1.0 AS c, d = 1.0 AS d, d <> 1 AS e, ARRAY[1, '3e2'] AS f,
    PARSE_TIMESTAMP('2021-01-01 00:00:00.123456', 'yyyy-MM-dd HH:mm:ss.SSSSSS') AS g
  FROM m;
PRINT '${prefix}NUMBERS';
CREATE STREAM no AS SELECT id, CASE id WHEN 1 THEN 'a' ELSE 'b' END AS c FROM m;
CREATE STREAM no AS SELECT id, MAP('a' := 1, 'a' := 2) AS c FROM m;
CREATE STREAM no AS SELECT id, d IS DISTINCT FROM NULL AS c FROM m;
CREATE STREAM no AS SELECT id, DATE '2020-01-01' AS c FROM m;
CREATE STREAM no AS SELECT id, ENTRIES(MAP('a' := ARRAY[1]), true) AS c FROM m;
CREATE STREAM no AS SELECT id, GREATEST(true, false) AS c FROM m;

-- The property TIMESTAMP names a column as a statement does.
CREATE STREAM no (id INT KEY, `ts` BIGINT) WITH (KAFKA_TOPIC = '${prefix}no', FORMAT = 'JSON', PARTITIONS = 1, TIMESTAMP = 'ts');
CREATE STREAM no (id INT KEY, st STRUCT<a BIGINT>) WITH (KAFKA_TOPIC = '${prefix}no', FORMAT = 'JSON', PARTITIONS = 1, TIMESTAMP = 'st->a');
CREATE STREAM timed (id INT KEY, `ts` BIGINT, ts BIGINT) WITH (KAFKA_TOPIC = '${prefix}t', FORMAT = 'JSON', PARTITIONS = 1, TIMESTAMP = 'ts');
INSERT INTO timed VALUES (1, 5, 6);
CREATE STREAM rowtimes AS SELECT id, ROWTIME AS r FROM timed;
PRINT '${prefix}ROWTIMES';
CREATE STREAM untimed (id INT KEY, d DATE, t TIMESTAMP) WITH (KAFKA_TOPIC = '${prefix}u', FORMAT = 'JSON', PARTITIONS = 1, TIMESTAMP_FORMAT = 'yyyy');

-- Dates and times among VALUES have ksqlDB's form.
INSERT INTO untimed VALUES (1, '2020-01-02', '2020-01-02T03:04:05.678');
INSERT INTO untimed VALUES (2, '2020', '2020-01-02T03');
INSERT INTO untimed VALUES (3, '2020-1-2', NULL);
INSERT INTO untimed VALUES (4, '2020-01-02T00:00', NULL);
INSERT INTO untimed VALUES (5, NULL, '2020-01-02 03:04:05');
INSERT INTO untimed VALUES (6, NULL, '2020-01-02T03:04:05Z');
PRINT '${prefix}u';

-- A field is a column of its name, or of its name in upper case.
CREATE STREAM names (k STRING KEY, `t` STRING, `Foo` INT, n INT) WITH (KAFKA_TOPIC = '${prefix}n', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
CREATE STREAM names_of AS SELECT * FROM names;
PRINT '${prefix}NAMES_OF';
