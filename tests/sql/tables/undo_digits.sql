-- Sums and means of a table keep all digits of its values, and take back the least one of a type.
-- topic: ${prefix}t partitions=1
-- record: ${prefix}t key=a {"g":1,"r":0.25,"m":1.0000000001,"w":1.000000000000000001,"b":-128,"i":-2147483648,"f":1.5}
-- record: ${prefix}t key=b {"g":1,"r":0.5,"m":2.0000000002,"w":2.000000000000000002,"b":-128,"i":-2147483648,"f":2.5}
-- record: ${prefix}t key=b {"g":1,"r":0.125,"m":3.0000000003,"w":2.000000000000000003,"b":5,"i":5,"f":3.5}
-- record: ${prefix}t key=c {"g":2,"r":0.75,"m":3.0000000003,"w":2.000000000000000003,"b":1,"i":-2147483648,"f":4.5}
-- record: ${prefix}t key=c {"g":3}
-- replace: C[ST]AS_\w+ => ${query}
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
CREATE TABLE ${prefix}t (k STRING PRIMARY KEY, g INT, r DECIMAL(4,4), m DECIMAL(30,10), w DECIMAL(38,18), b TINYINT, i INT, f FLOAT) WITH (KAFKA_TOPIC = '${prefix}t', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON');
CREATE TABLE ${prefix}sums AS SELECT g, SUM(r) AS r, SUM(m) AS m, SUM(w) AS w, SUM(b) AS b, SUM(i) AS i, SUM(f) AS f, SUM(w) FILTER (WHERE k = 'b') AS of_b FROM ${prefix}t GROUP BY g EMIT CHANGES;
SELECT * FROM ${prefix}sums;
CREATE TABLE ${prefix}means AS SELECT g, AVG(r) AS r, AVG(m) AS m, AVG(i) AS i, AVG(f) AS f FROM ${prefix}t GROUP BY g EMIT CHANGES;
SELECT * FROM ${prefix}means;
