-- A column may have any name, also one that sorts rows elsewhere; STRICT store assignment is that of other tables.
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE STREAM s (id INT KEY, _order INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'JSON', PARTITIONS = 1);

INSERT INTO s VALUES (1, 7);

SELECT * FROM s;

CREATE STREAM copied WITH (KAFKA_TOPIC = '${prefix}c', PARTITIONS = 1) AS SELECT * FROM s;

SELECT * FROM copied;

SET spark.sql.storeAssignmentPolicy = STRICT;

INSERT INTO s (id, _order) SELECT 2, CAST(5 AS BIGINT);

INSERT INTO s (id, _order) SELECT 2, CAST(5 AS SMALLINT);

SET spark.sql.storeAssignmentPolicy = ANSI;

SELECT * FROM s ORDER BY id;
