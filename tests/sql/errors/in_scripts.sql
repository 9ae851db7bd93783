-- conf: spark.sql.scripting.enabled=true
-- Kafkalyst's statements in Spark's scripts are refused by name; EXECUTE IMMEDIATE runs them.
CREATE STREAM o (v INT) WITH (KAFKA_TOPIC = '${prefix}o', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO o VALUES (1), (2), (3);
BEGIN CREATE STREAM es (v INT) WITH (KAFKA_TOPIC = '${prefix}es', VALUE_FORMAT = 'JSON', PARTITIONS = 1); INSERT INTO o VALUES (4); END;
BEGIN SELECT count(*) FROM o EMIT CHANGES LIMIT 1; END;
BEGIN
  DECLARE n INT DEFAULT 1;
  IF n = 1 THEN
    SHOW TOPICS;
  ELSE
    INSERT INTO o VALUES (5);
  END IF;
END;
-- The script has another fault, or Spark accepts it.
BEGIN CREATE STREAM es (v INT) WITH (KAFKA_TOPIC = '${prefix}es', VALUE_FORMAT = 'JSON'); SELEC 1; END;
BEGIN SELECT max(v) AS v FROM o WHERE v < 3; END;
-- The way out.
BEGIN
  EXECUTE IMMEDIATE "CREATE STREAM es (v INT) WITH (KAFKA_TOPIC = '${prefix}es', VALUE_FORMAT = 'JSON', PARTITIONS = 1)";
  EXECUTE IMMEDIATE 'INSERT INTO es VALUES (7)';
  EXECUTE IMMEDIATE 'SELECT v FROM es EMIT CHANGES LIMIT 1';
END;
-- A handler names the SQLSTATE: Spark knows no conditions of others.
BEGIN
  DECLARE EXIT HANDLER FOR SQLSTATE '42704' SELECT 'no topic' AS caught;
  SELECT * FROM kafka.${prefix}missing;
END;
