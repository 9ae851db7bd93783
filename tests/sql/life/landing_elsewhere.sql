-- A table that takes no streams, here of JDBC, is refused before it is changed; the other refusals name what is possible.
-- conf: spark.sql.catalog.j=org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog
-- conf: spark.sql.catalog.j.url=jdbc:derby:memory:${prefix}j;create=true
-- conf: spark.sql.catalog.j.driver=org.apache.derby.jdbc.EmbeddedDriver
-- topic: ${prefix}t partitions=1
-- record: ${prefix}t {"id": 1, "v": "a"}
CREATE STREAM s (id INT, v STRING) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'JSON');
CREATE TABLE j.APP.T (id INT, v STRING);
INSERT INTO j.APP.T SELECT id, v FROM s EMIT CHANGES;
INSERT INTO j.APP.T WITH (SCHEMA_EVOLUTION = 'add') SELECT id, v, id AS w FROM s EMIT CHANGES;
INSERT INTO j.APP.T SELECT count(*), v FROM s GROUP BY v EMIT CHANGES;
INSERT INTO j.APP.T WITH (MERGE = 'append') SELECT count(*), v FROM s GROUP BY v EMIT CHANGES;
INSERT INTO j.APP.T SELECT id, v FROM s;
SELECT * FROM j.APP.T;
CREATE TABLE counts USING parquet AS SELECT v, count(*) AS n FROM s GROUP BY v EMIT CHANGES;
SHOW QUERIES;
