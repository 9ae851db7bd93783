-- Names that are meant in another place than the current catalog: of a view's query, and of files.
-- conf: spark.sql.catalog.kafka=io.kafkalyst.KafkaCatalog
-- topic: ${prefix}u
-- record: ${prefix}u key=a {"a":1}
CREATE STREAM s (k STRING KEY, a INT) WITH (KAFKA_TOPIC = '${prefix}u', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
CREATE VIEW v AS SELECT k, a FROM golden.s;
CREATE VIEW w AS SELECT k, a FROM s;
CREATE VIEW x AS SELECT k, a FROM spark_catalog.golden.s;
USE kafka;
SELECT * FROM spark_catalog.golden.v;
SELECT * FROM spark_catalog.golden.v EMIT CHANGES LIMIT 1;
SELECT * FROM spark_catalog.golden.w EMIT CHANGES LIMIT 1;
SELECT * FROM spark_catalog.golden.x EMIT CHANGES LIMIT 1;
SELECT * FROM parquet.`/nowhere/at/all`;
SELECT * FROM kafka.nowhere;
SELECT * FROM kafka.`no/where`;
SELECT * FROM some.nowhere;
SELECT * FROM nowhere;
SET spark.sql.catalog.other = org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog;
SET spark.sql.catalog.other.driver = org.apache.derby.jdbc.EmbeddedDriver;
SET `spark.sql.catalog.other.url` = `jdbc:derby:memory:${prefix};create=true`;
CREATE TABLE other.APP.rows (a INT);
INSERT INTO other.APP.rows VALUES (1);
SELECT * FROM other.APP.rows;
SELECT u.a FROM spark_catalog.golden.s u JOIN other.APP.rows r ON u.a = r.a;
DROP TABLE other.APP.rows;
USE spark_catalog.golden;
