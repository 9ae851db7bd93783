-- PRINT shows the records as they are.
-- replace: Did you mean "(g[0-9a-f]{8}_|\$\{prefix\})[^"]*"\? ? => 
-- topic: ${prefix}p
-- record: ${prefix}p key=one {"a": 1}
-- record: ${prefix}p {"a": 2}
-- replace: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* *\| => ${time} |
-- replace: timestamp *\| => timestamp |
-- replace: -{20,}\+ => ---+
PRINT '${prefix}p' FROM BEGINNING;
PRINT '${prefix}p' FROM BEGINNING LIMIT 1;
PRINT '${prefix}p' LIMIT 1;
PRINT '${prefix}p' FROM BEGINNING INTERVAL 2 LIMIT 5;
PRINT '${prefix}p' SAMPLE 1 LIMIT 1;
PRINT '${prefix}p' FROM BEGINNING SAMPLE 0;
PRINT '${prefix}p' LIMT 1;
PRINT '${prefix}nowhere';
