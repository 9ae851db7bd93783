-- A TABLE whose rows' time is a column of the value: tombstones have none, and delete their rows at the record's own time.
-- replace: C[ST]AS_[A-Z_0-9]+_\d+ => ${query}
-- replace: \S*/checkpoints/\S+ => ${checkpoint}
-- topic: ${prefix}prices partitions=1
-- record: ${prefix}prices key=a {"price": 1, "at": 1000}
-- record: ${prefix}prices key=b {"price": 2, "at": 2000}
-- record: ${prefix}prices key=a null
-- record: ${prefix}prices key=c {"price": 3, "at": 3000}
CREATE TABLE prices (k STRING PRIMARY KEY, price INT, at BIGINT)
  WITH (KAFKA_TOPIC = '${prefix}prices', VALUE_FORMAT = 'JSON', TIMESTAMP = 'at');
SELECT k, price, ROWTIME FROM prices ORDER BY k;
CREATE TABLE copied WITH (KAFKA_TOPIC = '${prefix}copied') AS SELECT k, price FROM prices;
SELECT k, price FROM copied ORDER BY k;
CREATE STREAM written (k STRING KEY, price INT) WITH (KAFKA_TOPIC = '${prefix}copied', VALUE_FORMAT = 'JSON');
SELECT k, price, _tombstone, ROWTIME > 1600000000000 AS is_now FROM written ORDER BY ROWOFFSET;
CREATE TABLE skipping (k STRING PRIMARY KEY, price INT, at BIGINT)
  WITH (KAFKA_TOPIC = '${prefix}prices', VALUE_FORMAT = 'JSON', TIMESTAMP = 'at', ON_ERROR = 'skip');
SELECT k, ROWTIME FROM skipping ORDER BY k;
