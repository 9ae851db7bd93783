-- Topics of a cluster's catalog as tables, without a declaration.
-- replace: #\d+L? => #n
-- topic: ${prefix}.orders partitions=1
-- avro: ${prefix}.orders {"type": "record", "name": "Order", "fields": [{"name": "status", "type": "string"}, {"name": "amount", "type": "double"}]}
-- record: ${prefix}.orders key=a {"status": "PAID", "amount": 1.5}
-- record: ${prefix}.orders key=b {"status": "NEW", "amount": 2.5}
-- topic: ${prefix}.plain partitions=1
-- record: ${prefix}.plain key=x hello
-- topic: _${prefix}hidden partitions=1
-- record: _${prefix}hidden key=x 1
SHOW TABLES IN kafka.${prefix};
SHOW TABLES IN kafka LIKE '*${prefix}*';
SELECT status, amount FROM kafka.${prefix}.orders ORDER BY amount;
SELECT status FROM kafka.`${prefix}.orders` WHERE amount > 2;
EXPLAIN SELECT status FROM kafka.${prefix}.orders WHERE amount > 2;
SELECT CAST(ROWKEY AS STRING), ROWPARTITION, ROWOFFSET FROM kafka.${prefix}.orders ORDER BY ROWOFFSET;
SELECT CAST(ROWKEY AS STRING) AS k, CAST(ROWVAL AS STRING) AS v FROM kafka.${prefix}.plain;
SELECT CAST(ROWVAL AS STRING) FROM kafka._${prefix}hidden;
SHOW COLUMNS IN kafka.${prefix}.orders;
DESCRIBE TABLE kafka.${prefix}.orders;
USE kafka.${prefix};
SHOW TABLES;
SELECT count(*) FROM ORDERS;
SELECT o.status, CAST(p.ROWVAL AS STRING) AS v FROM orders AS o CROSS JOIN plain AS p ORDER BY o.status;
CREATE TEMPORARY VIEW paid AS SELECT * FROM orders WHERE status = 'PAID';
SELECT amount FROM paid;
INSERT INTO orders VALUES (CAST('c' AS BINARY), 'PAID', 3.5);
SELECT sum(amount) FROM paid;
SELECT status FROM orders EMIT CHANGES LIMIT 1;
