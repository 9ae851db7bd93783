-- topic: ${prefix}pa
-- topic: ${prefix}pb
-- topic: ${prefix}dl
-- topic: ${prefix}shared
-- record: ${prefix}pa key=1 {"a":1}
-- record: ${prefix}pa key=2 bad
-- record: ${prefix}pb key=3 bad too
-- REPLAY of an object over a pattern sends the letters of all topics that the pattern matches, once.
CREATE TABLE p (a INT) WITH ('connector' = 'kafka', 'topic-pattern' = '${prefix}p[ab]', 'format' = 'json', 'on_error' = 'dead-letter', 'dead_letter_topic' = '${prefix}dl', 'scan.startup.mode' = 'earliest-offset');
SELECT * FROM p;
REPLAY p;
REPLAY p;
REPLAY p FROM BEGINNING;
DROP TABLE p;
-- Two objects with one dead letter topic: the letters of one wait while those of the other are sent.
CREATE STREAM a (a INT) WITH (KAFKA_TOPIC = '${prefix}pa', VALUE_FORMAT = 'JSON', DEAD_LETTER_TOPIC = '${prefix}shared');
CREATE STREAM b (a INT) WITH (KAFKA_TOPIC = '${prefix}pb', VALUE_FORMAT = 'JSON', DEAD_LETTER_TOPIC = '${prefix}shared');
SELECT * FROM a;
SELECT * FROM b;
REPLAY a;
REPLAY a;
REPLAY b LIMIT 1;
REPLAY b;
REPLAY b;
DROP STREAM a;
DROP STREAM b;
-- No object reads its own dead letters: each read would send them again.
CREATE TABLE p (a INT) WITH ('connector' = 'kafka', 'topic-pattern' = '${prefix}.*', 'format' = 'json', 'on_error' = 'dead-letter', 'dead_letter_topic' = '${prefix}dl', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE p (a INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}pa;${prefix}dl', 'format' = 'json', 'on_error' = 'dead-letter', 'dead_letter_topic' = '${prefix}dl', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE p (a INT) WITH ('connector' = 'kafka', 'topic' = '${prefix}pa;${prefix}dl', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset');
ALTER TABLE p SET TBLPROPERTIES ('on_error' = 'dead-letter', 'dead_letter_topic' = '${prefix}dl');
ALTER TABLE p SET TBLPROPERTIES ('dead_letter_topic' = '${prefix}dl');
ALTER TABLE p SET TBLPROPERTIES ('on_error' = 'dead-letter');
SELECT * FROM p WITH ('on_error' = 'dead-letter');
SELECT count(*) FROM p;
DROP TABLE p;
CREATE STREAM a (a INT) WITH (KAFKA_TOPIC = '${prefix}pa', VALUE_FORMAT = 'JSON', DEAD_LETTER_TOPIC = '${prefix}dl');
ALTER TABLE a SET TBLPROPERTIES ('kafka_topic' = '${prefix}dl');
DROP STREAM a;
