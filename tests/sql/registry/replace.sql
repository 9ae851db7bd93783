-- CREATE OR REPLACE may add columns at the end and nothing else; all that differs is told at once.
-- replace: Did you mean "(g[0-9a-f]{8}_|\$\{prefix\})[^"]*"\? ? => 
-- replace: file:\S*/checkpoints|/\S*/checkpoints => ${checkpoints}
-- replace: CSAS_[A-Z]+_\d+ => ${query}
-- replace: schema id \d+ => schema id n
CREATE STREAM s (k INT KEY, a STRING, b INT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO s VALUES (1, 'x', 2);
CREATE OR REPLACE STREAM s (k INT KEY, a STRING, b INT, c ARRAY<BIGINT>) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO');
INSERT INTO s VALUES (2, 'y', 3, array(4, 5));
SELECT * FROM s;
-- The same again changes nothing.
CREATE OR REPLACE STREAM s (k INT KEY, a STRING, b INT, c ARRAY<BIGINT>) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO');
-- Where nothing is there it is a CREATE.
CREATE OR REPLACE STREAM fresh (a INT) WITH (KAFKA_TOPIC = '${prefix}f', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
-- Twins that are refused, each leaving all as it was.
CREATE OR REPLACE STREAM s (k INT KEY, a STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO');
CREATE OR REPLACE STREAM s (k BIGINT KEY, b INT, a INT, c ARRAY<BIGINT>) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO');
CREATE OR REPLACE STREAM s (k2 INT KEY, z INT, a STRING, b INT, c ARRAY<BIGINT>) WITH (KAFKA_TOPIC = '${prefix}other', PARTITIONS = 1, KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');
CREATE OR REPLACE STREAM s (k INT KEY, a STRING, b INT, c ARRAY<BIGINT>, t BIGINT) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', TIMESTAMP = 't');
CREATE OR REPLACE STREAM fresh (a INT) WITH (KAFKA_TOPIC = '${prefix}f', VALUE_FORMAT = 'JSON', WRAP_SINGLE_VALUE = FALSE);
CREATE OR REPLACE TABLE s (k INT PRIMARY KEY, a STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO');
CREATE STREAM other (a INT) WITH (KAFKA_TOPIC = '${prefix}other', VALUE_FORMAT = 'JSON');
DESCRIBE s;
-- A query's sink: the query goes on under its id, from where it stopped.
CREATE STREAM t WITH (KAFKA_TOPIC = '${prefix}t') AS SELECT k, a FROM s;
INSERT INTO s VALUES (3, 'z', 6, NULL);
CREATE OR REPLACE STREAM t WITH (KAFKA_TOPIC = '${prefix}t') AS SELECT k, a, b FROM s;
SELECT * FROM t;
CREATE OR REPLACE STREAM t WITH (KAFKA_TOPIC = '${prefix}t') AS SELECT k, b FROM s;
CREATE OR REPLACE STREAM t (k INT KEY, a STRING, b INT) WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'AVRO');
SELECT * FROM t;
-- Other windows are other keys.
CREATE STREAM w (k INT KEY, a STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', WINDOW_TYPE = 'HOPPING', WINDOW_SIZE = '1 HOUR');
CREATE OR REPLACE STREAM w (k INT KEY, a STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', WINDOW_TYPE = 'TUMBLING', WINDOW_SIZE = '1 HOUR');
CREATE OR REPLACE STREAM w (k INT KEY, a STRING) WITH (KAFKA_TOPIC = '${prefix}s', VALUE_FORMAT = 'AVRO', WINDOW_TYPE = 'hopping', WINDOW_SIZE = '60 MINUTES');
