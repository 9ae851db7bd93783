-- Spark's own statements pass through; double quotes are names.
-- conf: spark.sql.ansi.doubleQuotedIdentifiers=true
SELECT "a" FROM VALUES (2), (1) AS t("a");
SELECT "missing" FROM VALUES (2) AS t("a");
SHOW STREAMS;
