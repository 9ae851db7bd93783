-- A sink's TIMESTAMP that is not a time, and what is made of ROWTIME's texts and of odd arguments.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- conf: spark.kafkalyst.identifiers=upper
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: (C[ST]AS|INSERTQUERY)_?[A-Z0-9_]*_\d+ => ${query}
-- conf: spark.kafkalyst.on.error=skip
-- replace: 202[1-9]-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? => ${now}
CREATE STREAM m (id INT KEY, n BIGINT, s STRING, bo BOOLEAN) WITH (KAFKA_TOPIC = '${prefix}m', FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO m (ROWTIME, id, n, s, bo) VALUES (1514764800000, 1, -5, '2020-01-01', true);
INSERT INTO m (ROWTIME, id, n, s, bo) VALUES (1514764800001, 2, 7, 'q', false);
INSERT INTO m (ROWTIME, id) VALUES (1514764800002, 3);
CREATE STREAM t1 WITH (TIMESTAMP='N') AS SELECT id, n FROM m;
PRINT '${prefix}T1';
CREATE STREAM t2 WITH (TIMESTAMP='S', TIMESTAMP_FORMAT='yyyy-MM-dd') AS SELECT id, s FROM m;
PRINT '${prefix}T2';
CREATE STREAM r1 AS SELECT id, n FROM m WHERE ROWTIME = '2018-01-01T00:00:00';
PRINT '${prefix}R1';
CREATE STREAM r2 AS SELECT id, n FROM m WHERE ROWTIME BETWEEN '2017' AND '2018-01-01T00:00:00.001+0000';
PRINT '${prefix}R2';
CREATE STREAM r3 AS SELECT id, n FROM m WHERE ROWTIME > '2018-01-01T02:00:00.000+0200' AND '2019' > ROWTIME;
PRINT '${prefix}R3';
CREATE STREAM r4 AS SELECT id, n FROM m WHERE ROWTIME > 'x';
CREATE STREAM i1 AS SELECT id, n IN ('x') as a FROM m;
CREATE STREAM i2 AS SELECT id, n IN (true) as a FROM m;
CREATE STREAM i3 AS SELECT id, bo IN (1) as a FROM m;
CREATE STREAM i4 AS SELECT id, s IN (1, true, 'q') as a FROM m;
PRINT '${prefix}I4';
CREATE STREAM i5 AS SELECT id, n IN ('7', 1.5, NULL) as a, NULL IN (n) as b FROM m;
PRINT '${prefix}I5';
CREATE STREAM i6 AS SELECT id, 9223372036854775808 as a FROM m;
CREATE STREAM i7 AS SELECT id, 9223372036854775807 as a FROM m;
CREATE STREAM i8 AS SELECT id, DATEADD(FORTNIGHTS, 1, CAST('2020-01-01' AS DATE)) as a FROM m;
CREATE STREAM i9 AS SELECT id, ENCODE('0xABC', 'hex', 'ascii') as a, JSON_CONCAT('', '[1]') as b, EXTRACTJSONFIELD('{"a":null}', '$.a') as c, GEO_DISTANCE(CAST(100 AS DOUBLE), 1.0, 2.0, 3.0) as d, MD5('abc') as e, PARSE_DATE('2020-02', 'yyyy-MM') as f, ARRAY_LENGTH(CAST(NULL AS ARRAY<INT>)) as g, FROM_BYTES(TO_BYTES('21','hex'),'hex') as h, JSON_RECORDS('[]') as i, GEO_DISTANCE(1.0,2.0,3.0,4.0,'parsec') as j FROM m;
PRINT '${prefix}I9';
CREATE STREAM pe AS SELECT * FROM m PARTITION BY COALESCE(s, 'none');
PRINT '${prefix}PE';
CREATE STREAM letters WITH (TIMESTAMP='N', ON_ERROR='dead-letter') AS SELECT id, n FROM m;
PRINT '${prefix}LETTERS-dlq';
CREATE STREAM without WITH (TIMESTAMP='N', ON_ERROR='null') AS SELECT id, n FROM m;
PRINT '${prefix}WITHOUT';
CREATE STREAM failing WITH (TIMESTAMP='N', ON_ERROR='fail') AS SELECT id, n FROM m;
