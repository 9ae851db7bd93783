-- Functions of Kafkalyst's in views, and beside a user's own of the same name.
-- topic: ${prefix}orders
-- record: ${prefix}orders key=a {"item":"q","day":"2024-01-01"}
-- record: ${prefix}orders key=b {"item":"r","day":"2024-01-01"}
CREATE STREAM orders (id STRING KEY, item STRING, day DATE) WITH (KAFKA_TOPIC='${prefix}orders', KEY_FORMAT='KAFKA', VALUE_FORMAT='JSON');

CREATE VIEW hashes AS
  SELECT id, md5(item) AS h, initcap(item) AS i, (SELECT latest_by_offset(item) FROM orders) AS latest FROM orders;
SELECT * FROM hashes ORDER BY id;

CREATE VIEW latest AS
  SELECT day, latest_by_offset(item) AS item FROM orders GROUP BY day HAVING earliest_by_offset(item) = 'q';
SELECT item, sha256(item) AS h FROM latest;

CREATE VIEW decoded AS SELECT kafka_decode(kafka_encode(item, 'KAFKA'), 'KAFKA', map('schema', 'STRING')) AS item FROM orders;
SELECT * FROM decoded ORDER BY item;
ALTER VIEW decoded AS SELECT sha512(item) = sha2(item, 512) AS same FROM orders;
SELECT * FROM decoded;
CREATE VIEW wrong AS SELECT sha256(item, 1) AS h FROM orders;

-- A permanent function of the user's comes first, in views too; with its name gone, ours is back.
CREATE FUNCTION week(x INT) RETURNS INT RETURN x + 1;
SELECT week(1) AS w;
CREATE VIEW weeks AS SELECT week(1) AS w;
SELECT * FROM weeks;
DROP FUNCTION golden.week;
SELECT week(DATE'2024-02-02') AS w;

-- A temporary one replaces ours in this session.
CREATE TEMPORARY VIEW own AS SELECT sha256('a') AS h;
SELECT length(h) AS l FROM own;
