-- Settings are checked by every statement.
SET spark.kafkalyst.querytrigger=available-now;
SHOW STREAMS;
RESET spark.kafkalyst.querytrigger;
SET spark.kafkalyst.query.trigger=sometimes;
SHOW STREAMS;
SET spark.kafkalyst.query.trigger=available-now;
SHOW STREAMS;
