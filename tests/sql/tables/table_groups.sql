-- Groups over a table: a change takes back what the key's former row gave.
-- conf: spark.kafkalyst.output.topic.prefix=${prefix}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: C[ST]AS_[A-Z_]+_\d+ => ${query}
CREATE TABLE people (id INT PRIMARY KEY, city STRING, age INT, pay DECIMAL(8,2)) WITH (KAFKA_TOPIC = '${prefix}people', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO people VALUES (1, 'Oslo', 30, 10.50), (2, 'Oslo', 40, NULL), (3, 'Rome', 50, 1.25), (4, NULL, 60, 2.00);
INSERT INTO people VALUES (1, 'Rome', 31, 10.75);
INSERT INTO people (id, _tombstone) VALUES (3, true);
CREATE TABLE per_city WITH (KEY_FORMAT = 'JSON') AS SELECT city, count(*) AS n, count(pay) AS paid, sum(age) AS years, avg(age) AS mean, sum(pay) AS pay FROM people GROUP BY city EMIT CHANGES;
SELECT * FROM per_city;
CREATE TABLE adults WITH (KEY_FORMAT = 'JSON') AS SELECT upper(city) AS c, count(*) + 1 AS n FROM people WHERE age > 30 GROUP BY upper(city) HAVING count(*) > 0 EMIT CHANGES;
SELECT * FROM adults;
CREATE TABLE x WITH (KEY_FORMAT = 'JSON') AS SELECT city, max(age) AS oldest FROM people GROUP BY city EMIT CHANGES;
