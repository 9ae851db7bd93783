-- PARTITION BY: which columns become the key, in which order and shape, and what stays in the value.
-- topic: ${prefix}foo partitions=1
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
CREATE STREAM foo (k0 INT KEY, f0 INT, f1 STRING, s STRUCT<a INT, b STRUCT<f0 INT>>)
WITH (KAFKA_TOPIC = '${prefix}foo', VALUE_FORMAT = 'JSON');
INSERT INTO foo VALUES (1, 2, 'x', named_struct('a', 5, 'b', named_struct('f0', 7))), (2, null, null, null);
CREATE STREAM plain WITH (KEY_FORMAT_TYPE = 'PLAIN') AS SELECT * FROM foo PARTITION BY f0;
DESCRIBE plain;
PRINT '${prefix}plain';
SELECT * FROM plain ORDER BY k0;
CREATE STREAM structured WITH (KEY_FORMAT = 'JSON', KEY_FORMAT_TYPE = 'STRUCTURED') AS SELECT * FROM foo PARTITION BY f0;
PRINT '${prefix}structured';
SELECT f0, k0 FROM structured ORDER BY k0;
CREATE STREAM two WITH (KEY_FORMAT = 'JSON') AS
SELECT k0, f0, f1 AS g, s->b->f0, s->a, AS_VALUE(f0) AS copy FROM foo PARTITION BY f0, f1;
DESCRIBE two;
PRINT '${prefix}two';
CREATE STREAM nested WITH (KEY_FORMAT = 'JSON') AS SELECT * FROM foo PARTITION BY STRUCT(f0, f1) AS bar;
PRINT '${prefix}nested';
CREATE STREAM whole WITH (KEY_FORMAT = 'JSON') AS SELECT * FROM foo PARTITION BY STRUCT<f0>;
PRINT '${prefix}whole';
CREATE STREAM within WITH (KEY_FORMAT = 'JSON') AS SELECT * FROM foo PARTITION BY STRUCT<bar STRUCT<f0, f1>>;
PRINT '${prefix}within';
CREATE STREAM keyless AS SELECT * FROM foo PARTITION BY NULL;
DESCRIBE EXTENDED keyless;
PRINT '${prefix}keyless';
CREATE STREAM computed AS SELECT f0 + 1, f1 FROM foo PARTITION BY f0 + 1;
DESCRIBE computed;
CREATE STREAM added AS SELECT * FROM foo PARTITION BY upper(f1);
DESCRIBE added;
CREATE STREAM inside AS SELECT * FROM foo PARTITION BY s->b->f0;
DESCRIBE inside;
CREATE STREAM bar (k0 INT KEY, f0 INT) WITH (KAFKA_TOPIC = '${prefix}foo', VALUE_FORMAT = 'JSON');
CREATE STREAM joined AS SELECT * FROM foo l JOIN bar r WITHIN 1 HOUR ON l.f0 = r.f0;
DESCRIBE joined;
CREATE STREAM again WITH (KEY_FORMAT = 'KAFKA') AS SELECT f0, k0 FROM keyless PARTITION BY f0;
DESCRIBE again;
CREATE STREAM kept AS SELECT upper(f1), ROWKEY.k0, f0 * 2, AS_VALUE(k0) AS k FROM foo;
DESCRIBE kept;
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* => ${time}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
