CREATE TABLE spark_catalog.former.copied (
  id INT,
  region STRING,
  amount INT)
USING kafkalyst
TBLPROPERTIES (
  'kafka_topic' = 'former.copied',
  'kafkalyst.key.columns' = '["id"]',
  'kafkalyst.kind' = 'STREAM',
  'key_format' = 'KAFKA',
  'on_error' = 'fail',
  'value_format' = 'JSON');

CREATE TABLE spark_catalog.former.hours (
  region STRING,
  n BIGINT)
USING kafkalyst
TBLPROPERTIES (
  'kafka_topic' = 'former.hours',
  'kafkalyst.key.columns' = '["region"]',
  'kafkalyst.kind' = 'STREAM',
  'key_format' = 'KAFKA',
  'on_error' = 'fail',
  'value_format' = 'JSON');

CREATE TABLE spark_catalog.former.joined (
  id INT,
  region STRING,
  paid INT)
USING kafkalyst
TBLPROPERTIES (
  'kafka_topic' = 'former.joined',
  'kafkalyst.key.columns' = '["id"]',
  'kafkalyst.kind' = 'STREAM',
  'key_format' = 'KAFKA',
  'on_error' = 'fail',
  'value_format' = 'JSON');

CREATE TABLE spark_catalog.former.once (
  id INT,
  region STRING)
USING kafkalyst
TBLPROPERTIES (
  'kafka_topic' = 'former.once',
  'kafkalyst.key.columns' = '["id"]',
  'kafkalyst.kind' = 'STREAM',
  'key_format' = 'KAFKA',
  'on_error' = 'fail',
  'sink.delivery-guarantee' = 'exactly-once',
  'value_format' = 'JSON');

CREATE TABLE spark_catalog.former.orders (
  id INT,
  region STRING,
  amount INT)
USING kafkalyst
TBLPROPERTIES (
  'kafka_topic' = 'former.orders',
  'kafkalyst.key.columns' = '["id"]',
  'kafkalyst.kind' = 'STREAM',
  'key_format' = 'KAFKA',
  'on_error' = 'fail',
  'value_format' = 'JSON');

CREATE TABLE spark_catalog.former.payments (
  id INT,
  region STRING,
  amount INT)
USING kafkalyst
TBLPROPERTIES (
  'kafka_topic' = 'former.payments',
  'kafkalyst.key.columns' = '["id"]',
  'kafkalyst.kind' = 'STREAM',
  'key_format' = 'KAFKA',
  'on_error' = 'fail',
  'value_format' = 'JSON');

CREATE TABLE spark_catalog.former.totals (
  region STRING,
  n BIGINT,
  total BIGINT)
USING kafkalyst
TBLPROPERTIES (
  'kafka_topic' = 'former.totals',
  'kafkalyst.key.columns' = '["region"]',
  'kafkalyst.kind' = 'TABLE',
  'key_format' = 'KAFKA',
  'on_error' = 'fail',
  'value_format' = 'JSON');

