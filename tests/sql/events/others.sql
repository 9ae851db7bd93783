-- Events of Canal, Maxwell and GoldenGate.
-- topic: ${prefix}c partitions=1
-- record: ${prefix}c {"data":[{"id":"101","name":"scooter","weight":"3.14"},{"id":"102","name":"car battery","weight":null}],"database":"inventory","es":1589373515000,"id":3,"isDdl":false,"mysqlType":{"id":"INTEGER"},"old":null,"pkNames":["id"],"sql":"","sqlType":{"id":4,"name":12,"weight":7},"table":"products2","ts":1589373515477,"type":"INSERT"}
-- record: ${prefix}c {"data":[{"id":"102","name":"battery","weight":"5.17"}],"database":"inventory","es":1589373516000,"old":[{"name":"car battery","weight":null}],"pkNames":["id"],"sqlType":{"id":4},"table":"products2","ts":1589373516477,"type":"UPDATE"}
-- record: ${prefix}c {"data":[{"id":"101","name":"scooter","weight":"3.14"}],"database":"inventory","es":1589373517000,"old":null,"pkNames":["id"],"table":"products2","ts":1589373517477,"type":"DELETE"}
-- record: ${prefix}c {"data":null,"database":"inventory","es":1,"isDdl":true,"sql":"CREATE TABLE x","table":"x","ts":1,"type":"CREATE"}
-- record: ${prefix}c {"data":[{"id":"4","name":"b"},{"id":"3","name":"a"}],"database":"inventory","old":[{"id":"3"},{"id":"2"}],"table":"products2","ts":2,"type":"UPDATE"}
-- topic: ${prefix}m partitions=1
-- record: ${prefix}m {"database":"test","table":"product","type":"bootstrap-start","ts":1596684900,"data":{}}
-- record: ${prefix}m {"database":"test","table":"product","type":"insert","ts":1596684904,"xid":7201,"commit":true,"data":{"id":111,"name":"scooter","weight":5.15},"primary_key_columns":["id"]}
-- record: ${prefix}m {"database":"test","table":"product","type":"update","ts":1596684906,"data":{"id":111,"name":"scooter","weight":5.18},"old":{"weight":5.15},"primary_key_columns":["id"]}
-- record: ${prefix}m {"database":"test","table":"product","type":"insert","ts":1596684907,"data":{"id":112,"name":null,"weight":1}}
-- record: ${prefix}m {"database":"test","table":"product","type":"delete","ts":1596684908,"data":{"id":112,"name":null,"weight":1}}
-- topic: ${prefix}o partitions=1
-- record: ${prefix}o {"table":"OGG.PRODUCTS","op_type":"I","op_ts":"2020-05-13 13:39:35.766000","current_ts":"2020-05-13 13:39:36.001234","primary_keys":["id"],"pos":"0000","after":{"id":1,"name":"x"}}
-- record: ${prefix}o {"table":"OGG.PRODUCTS","op_type":"U","op_ts":"2020-05-13 13:39:37.766","current_ts":"2020-05-13T13:39:38.001000","primary_keys":["id"],"before":{"id":1,"name":"x"},"after":{"id":1,"name":"y"}}
-- record: ${prefix}o {"table":"OGG.PRODUCTS","op_type":"D","op_ts":"2020-05-13 13:39:39","current_ts":null,"before":{"id":1,"name":"y"}}
CREATE STREAM canal (
  id INT, name STRING, weight DECIMAL(8, 3), db STRING METADATA FROM 'value.canal-json.database', tab STRING METADATA FROM 'value.table',
  types MAP<STRING, INT> METADATA FROM 'value.sql-type', pk ARRAY<STRING> METADATA FROM 'value.pk-names',
  met TIMESTAMP METADATA FROM 'value.ingestion-timestamp', made TIMESTAMP METADATA FROM 'value.event-timestamp'
) WITH (KAFKA_TOPIC = '${prefix}c', VALUE_FORMAT = 'CANAL_JSON');
SELECT ROWOFFSET AS at, _change, _op, * FROM canal ORDER BY at, _change;
CREATE TABLE canal_rows (id INT PRIMARY KEY, name STRING, weight DOUBLE) WITH (KAFKA_TOPIC = '${prefix}c', VALUE_FORMAT = 'CANAL_JSON');
SELECT * FROM canal_rows ORDER BY id;
CREATE STREAM maxwell (
  id INT, name STRING, weight DECIMAL(8, 3), db STRING METADATA FROM 'value.database', tab STRING METADATA FROM 'value.table',
  pk ARRAY<STRING> METADATA FROM 'value.primary-key-columns', met TIMESTAMP METADATA FROM 'value.ingestion-timestamp'
) WITH (KAFKA_TOPIC = '${prefix}m', VALUE_FORMAT = 'MAXWELL_JSON');
SELECT ROWOFFSET AS at, _change, _op, * FROM maxwell ORDER BY at, _change;
CREATE TABLE maxwell_rows (id INT PRIMARY KEY, name STRING, weight DOUBLE) WITH (KAFKA_TOPIC = '${prefix}m', VALUE_FORMAT = 'MAXWELL_JSON');
SELECT * FROM maxwell_rows;
CREATE STREAM ogg (
  id INT, name STRING, tab STRING METADATA FROM 'value.table', pk ARRAY<STRING> METADATA FROM 'value.primary-keys',
  met TIMESTAMP METADATA FROM 'value.ingestion-timestamp', made TIMESTAMP METADATA FROM 'value.event-timestamp'
) WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'OGG_JSON');
SELECT ROWOFFSET AS at, _change, _op, * FROM ogg ORDER BY at, _change;
CREATE TABLE ogg_rows (id INT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'OGG_JSON');
SELECT * FROM ogg_rows;
