-- A statement with IF NOT EXISTS names the failed query of its object, whichever of the cluster's names that began with.
-- conf: spark.sql.catalog.one=io.kafkalyst.KafkaCatalog
-- conf: spark.sql.catalog.one.catalog.topic=${prefix}definitions
-- conf: spark.sql.catalog.two=io.kafkalyst.KafkaCatalog
-- conf: spark.sql.catalog.two.catalog.topic=${prefix}definitions
-- topic: ${prefix}s partitions=1
-- record: ${prefix}s key=a {"a":1}
-- record: ${prefix}s key=b {bad
-- replace: CSAS_\S+_\d+ => CSAS_n
CREATE STREAM one.${prefix}s (k STRING KEY, a INT) WITH (KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
CREATE STREAM one.${prefix}copy AS SELECT k, a FROM one.${prefix}s WITH (maxOffsetsPerTrigger = 1);
CREATE STREAM IF NOT EXISTS one.${prefix}copy AS SELECT k, a FROM one.${prefix}s WITH (maxOffsetsPerTrigger = 1);
CREATE STREAM IF NOT EXISTS two.${prefix}copy AS SELECT k, a FROM two.${prefix}s WITH (maxOffsetsPerTrigger = 1);
