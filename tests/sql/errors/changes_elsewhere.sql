-- Changes are not stored as rows by any statement: several INSERTs at once, MERGE, and a query that reads no topic has no changes.
-- topic: ${prefix}cdc
-- record: ${prefix}cdc {"before": null, "after": {"id": 1, "n": "a"}, "op": "c"}
-- record: ${prefix}cdc {"before": {"id": 1, "n": "a"}, "after": null, "op": "d"}
CREATE STREAM cdc (id INT, n STRING) WITH (KAFKA_TOPIC = '${prefix}cdc', VALUE_FORMAT = 'DEBEZIUM_JSON');

CREATE TABLE pa (id INT, n STRING) USING parquet;

CREATE TABLE pb (id INT) USING parquet;

FROM cdc INSERT INTO pa SELECT id, n INSERT INTO pb SELECT id;

MERGE INTO pa USING cdc ON pa.id = cdc.id WHEN NOT MATCHED THEN INSERT (id, n) VALUES (id, n);

SELECT count(*) FROM pa;

SELECT * FROM pa EMIT CHANGES LIMIT 5;

SELECT 1 EMIT CHANGES LIMIT 1;
