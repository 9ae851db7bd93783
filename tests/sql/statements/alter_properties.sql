-- SET and UNSET TBLPROPERTIES keep the comment; another format is checked as in CREATE.
-- topic: ${prefix}t
-- replace: #\d+ => #n
CREATE STREAM noted (k INT KEY, v STRING, w INT) COMMENT 'of the shop' WITH (KAFKA_TOPIC = '${prefix}t', VALUE_FORMAT = 'DELIMITED', VALUE_DELIMITER = ';');
ALTER TABLE noted SET TBLPROPERTIES ('on_error' = 'skip', 'owner.team' = 'a');
ALTER TABLE noted UNSET TBLPROPERTIES ('owner.team', 'owner.none');
SHOW TBLPROPERTIES noted;
ALTER TABLE noted SET TBLPROPERTIES ('comment' = 'of the other shop');
-- Formats.
ALTER TABLE noted SET TBLPROPERTIES ('value_format' = 'NOPE');
ALTER TABLE noted SET TBLPROPERTIES ('value_format' = 'KAFKA');
ALTER TABLE noted SET TBLPROPERTIES ('key_format' = 'NONE');
ALTER TABLE noted SET TBLPROPERTIES ('FORMAT' = 'JSON', 'KEY_FORMAT' = 'KAFKA');
ALTER TABLE noted SET TBLPROPERTIES ('value_delimiter' = 'TAB', 'VALUE_FORMAT' = 'json');
ALTER TABLE noted SET TBLPROPERTIES ('VALUE_FORMAT' = 'json', 'owner.team' = 'b');
SHOW TBLPROPERTIES noted;
INSERT INTO noted VALUES (1, 'a', 2);
SELECT * FROM noted;
ALTER TABLE noted SET TBLPROPERTIES ('format' = 'delimited');
SHOW TBLPROPERTIES noted;
-- A continuous query's property.
EXPLAIN INSERT INTO noted WITH (QUERY_ID = 'x') SELECT * FROM noted;
-- Values are checked as in WITH, and names that are nearly a property's; other names are users' own.
ALTER TABLE noted SET TBLPROPERTIES ('on_error' = 'nul');
ALTER TABLE noted SET TBLPROPERTIES ('On_Eror' = 'skip');
ALTER TABLE noted SET TBLPROPERTIES ('partitons' = '3', 'owner.team' = 'c');
ALTER TABLE noted SET TBLPROPERTIES ('failOnDataLoss' = 'no');
ALTER TABLE noted SET TBLPROPERTIES ('on.eror' = 'a', 'team' = 'b', 'on_failure' = 'd', 'topic' = 'e', 'On_Error' = 'null', 'properties.Fetch.Min.Bytes' = '1', 'FailOnDataLoss' = 'false');
SHOW TBLPROPERTIES noted;
SELECT count(*) FROM noted;
DROP STREAM noted;
