-- A MERGE that chooses the changes itself is not refused for them: parquet has no MERGE at all. Spark 4.0 says that without a condition.
-- spark: 4.1 4.2
-- topic: ${prefix}cdc
CREATE STREAM cdc (id INT, n STRING) WITH (KAFKA_TOPIC = '${prefix}cdc', VALUE_FORMAT = 'DEBEZIUM_JSON');

CREATE TABLE pa (id INT, n STRING) USING parquet;

MERGE INTO pa USING cdc AS c ON pa.id = c.id WHEN MATCHED AND c._op = '-D' THEN DELETE WHEN NOT MATCHED THEN INSERT (id, n) VALUES (id, n);
