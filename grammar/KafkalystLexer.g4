// Words of Kafkalyst's statements. No target-language code: the JVM and Python share this file.
// Knows Spark's literals and comments, so that words within them are never taken for words of a statement.
lexer grammar KafkalystLexer;

options { caseInsensitive = true; }

SEMICOLON: ';';
LPAREN: '(';
RPAREN: ')';
LBRACKET: '[';
RBRACKET: ']';
COMMA: ',';
DOT: '.';
EQ: '=';
LT: '<';
GT: '>';
COLON: ':';
MINUS: '-';
PLUS: '+';

ADD: 'ADD';
AFTER: 'AFTER';
ALL: 'ALL';
ALTER: 'ALTER';
AS: 'AS';
ASSERT: 'ASSERT';
BEGINNING: 'BEGINNING';
CHANGES: 'CHANGES';
COLUMN: 'COLUMN';
COLUMNS: 'COLUMNS';
COMMENT_WORD: 'COMMENT';
CONSTRAINT: 'CONSTRAINT';
CREATE: 'CREATE';
DEFINE: 'DEFINE';
DELETE: 'DELETE';
DESC: 'DESC';
DESCRIBE: 'DESCRIBE';
DROP: 'DROP';
EMIT: 'EMIT';
ENFORCED: 'ENFORCED';
EXISTS: 'EXISTS';
EXPLAIN: 'EXPLAIN';
EXTENDED: 'EXTENDED';
FALSE: 'FALSE';
FIRST: 'FIRST';
FOR: 'FOR';
FROM: 'FROM';
FUNCTIONS: 'FUNCTIONS';
HEADER: 'HEADER';
HEADERS: 'HEADERS';
ID: 'ID';
IF: 'IF';
INSERT: 'INSERT';
INTO: 'INTO';
JOIN: 'JOIN';
KEY: 'KEY';
LIMIT: 'LIMIT';
LIST: 'LIST';
METADATA: 'METADATA';
MODIFY: 'MODIFY';
NOT: 'NOT';
NULL: 'NULL';
OR: 'OR';
PAUSE: 'PAUSE';
PRIMARY: 'PRIMARY';
PRINT: 'PRINT';
PROPERTIES: 'PROPERTIES';
QUERIES: 'QUERIES';
REFRESH: 'REFRESH';
RENAME: 'RENAME';
REPLACE: 'REPLACE';
REPLAY: 'REPLAY';
RESET: 'RESET';
RESUME: 'RESUME';
RUN: 'RUN';
SCHEMA: 'SCHEMA';
SCRIPT: 'SCRIPT';
SELECT: 'SELECT';
SET: 'SET';
SHOW: 'SHOW';
SOURCE: 'SOURCE';
STREAM: 'STREAM';
STREAMS: 'STREAMS';
SUBJECT: 'SUBJECT';
TABLE: 'TABLE';
TABLES: 'TABLES';
TERMINATE: 'TERMINATE';
TIMEOUT: 'TIMEOUT';
TO: 'TO';
TOPIC: 'TOPIC';
TOPICS: 'TOPICS';
TRUE: 'TRUE';
TYPE: 'TYPE';
TYPES: 'TYPES';
UNDEFINE: 'UNDEFINE';
UNSET: 'UNSET';
VALUES: 'VALUES';
VARIABLES: 'VARIABLES';
VIRTUAL: 'VIRTUAL';
WATERMARK: 'WATERMARK';
WITH: 'WITH';

// A single token, so that WITH alone still ends a column.
WITH_LOCAL_TIME_ZONE: 'WITH' [ \t\r\n]+ 'LOCAL' [ \t\r\n]+ 'TIME' [ \t\r\n]+ 'ZONE';

STRING: [NX]? '\'' ( ~['\\] | '\\' . | '\'\'' )* '\''
      | 'U&\'' ( ~['] | '\'\'' )* '\''
      | 'R' '\'' ~[']* '\''
      | 'R' '"' ~["]* '"';
QUOTED: '"' ( ~["\\] | '\\' . | '""' )* '"';
BACKQUOTED: '`' ( ~[`] | '``' )* '`';

// A number with a type suffix in Spark, and a name in ksqlDB.
DIGIT_NAME: [0-9]+ ('L' | 'S' | 'Y' | 'F' | 'D' | 'BD');
NUMBER: [0-9]+ ('.' [0-9]*)? ('E' [+-]? [0-9]+)? ('L' | 'S' | 'Y' | 'F' | 'D' | 'BD')?
      | '.' [0-9]+ ('E' [+-]? [0-9]+)? ('F' | 'D' | 'BD')?;
IDENTIFIER: [0-9]* [\p{L}_] [\p{L}0-9_@]*;

// A dollar-quoted text is Spark's own string form (DECLARE, CREATE FUNCTION bodies), with or without a tag.
DOLLAR_STRING: '$$' .*? '$$' | '$' [A-Z_]+ '$' .*? '$' [A-Z_]+ '$';

LINE_COMMENT: '--' ~[\r\n]* -> channel(HIDDEN);
BLOCK_COMMENT: '/*' ( BLOCK_COMMENT | . )*? '*/' -> channel(HIDDEN);
WHITESPACE: [ \t\r\n\f\u00A0\u2000-\u200B\u3000\uFEFF]+ -> channel(HIDDEN);

// Everything else, one character each; an unclosed quote also ends up here.
OTHER: .;
