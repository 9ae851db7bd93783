-- The jar's version.
SELECT kafkalyst_version() RLIKE '^[0-9]+[.][0-9]+[.][0-9]+' AS is_version, typeof(kafkalyst_version()) AS type;

SELECT kafkalyst_version('of what');
