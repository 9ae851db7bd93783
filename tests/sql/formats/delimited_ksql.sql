-- In ksqlDB's dialect an empty field is NULL, in quotes, too, and an empty text is in quotes only as the first field.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.dialect=ksqldb
-- topic: ${prefix}t
-- record: ${prefix}t key=k "","",1
-- record: ${prefix}t key=k x,,""
-- topic: ${prefix}first
-- record: ${prefix}first key=-7 {"A":"-x","N":-1,"D":-0.5}
-- record: ${prefix}first key=é {"A":"(x","N":1,"D":1.5}
-- record: ${prefix}first key=k {"A":"Zx"}
-- replace: \b0 \| (\d+) \| \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => 0 | \1 | ${time}
-- replace: C[ST]AS_[A-Z0-9_]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM T (K STRING KEY, A STRING, B STRING, N INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'DELIMITED');
SELECT A, B, N FROM T;
CREATE STREAM O AS SELECT K, COALESCE(B, '') AS A, COALESCE(B, '') AS B, NULLIF(A, 'x') AS C FROM T;
PRINT '${prefix}O';
SHOW CREATE STREAM T AS KSQLDB;
-- TRUE keeps the two apart.
CREATE STREAM APART (K STRING KEY, A STRING, B STRING, N STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'DELIMITED', VALUE_EMPTY_IS_NULL = TRUE);
SELECT A IS NULL AS A, B IS NULL AS B, N IS NULL AS N FROM APART;
CREATE STREAM BAD (K STRING KEY, A STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'DELIMITED', VALUE_EMPTY_IS_NULL = 'often');
-- The first field is quoted unless it begins with a letter or digit of ASCII, whatever its type.
CREATE STREAM JSONS (K STRING KEY, A STRING, N INT, D DECIMAL(3, 1)) WITH (KAFKA_TOPIC = '${prefix}first', VALUE_FORMAT = 'JSON');
CREATE STREAM TEXTS WITH (FORMAT = 'DELIMITED') AS SELECT K, A, AS_VALUE(K) AS B, N FROM JSONS;
PRINT '${prefix}TEXTS';
CREATE STREAM WHOLE WITH (FORMAT = 'DELIMITED') AS SELECT N, D, A FROM JSONS PARTITION BY N;
PRINT '${prefix}WHOLE';
CREATE STREAM DECIMALS WITH (VALUE_FORMAT = 'DELIMITED') AS SELECT K, D, A FROM JSONS;
PRINT '${prefix}DECIMALS';
SELECT * FROM DECIMALS;
-- A NULL that is the only value is a value of no bytes, and no deletion.
CREATE TABLE ONE WITH (VALUE_FORMAT = 'DELIMITED') AS SELECT K, LATEST_BY_OFFSET(N, FALSE) AS N FROM JSONS GROUP BY K;
PRINT '${prefix}ONE';
SELECT * FROM ONE;
