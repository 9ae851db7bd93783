// Kafkalyst's own statements, and how a script is split into statements.
// No target-language code: the JVM and Python share this file.
parser grammar KafkalystParser;

options { tokenVocab = KafkalystLexer; }

// A script: statements of any origin between semicolons.
script: statementText? (SEMICOLON statementText?)* EOF;
statementText: ~SEMICOLON+;

// One Kafkalyst statement.
statement: kafkalystStatement SEMICOLON* EOF;

kafkalystStatement
    : (CREATE (OR REPLACE)? SOURCE? | REPLACE) objectKind (IF NOT EXISTS)? objectName columns? tableComment? partitioned?
      withClause? (AS query)?                                               #createObject
    | CREATE TABLE (IF NOT EXISTS)? objectName columns? tableComment? partitioned? withClause? like=IDENTIFIER
      objectName (LPAREN likeOption+ RPAREN)?                               #createLike
    | ALTER objectKind (IF EXISTS)? objectName alteration                   #alterObject
    | INSERT INTO objectName withClause? insertedColumns? query             #insertQuery
    | DROP objectKind (IF EXISTS)? objectName (DELETE TOPIC)?               #dropObject
    | SHOW CREATE objectKind objectName AS dialect                          #showCreate
    | (SHOW | LIST) (ALL TOPICS | listable) EXTENDED? place? pattern?       #showObjects
    | LIST FUNCTIONS pattern?                                               #listFunctions
    | (SHOW | LIST) sessionListable                                         #showSession
    | (DESCRIBE | DESC) TOPIC topicName                                     #describeTopic
    | PRINT topicName (FROM BEGINNING)? sample? (LIMIT NUMBER)?             #printTopic
    | REPLAY objectName (FROM BEGINNING)? (LIMIT NUMBER)?                   #replay
    | TERMINATE queries                                                     #terminateQueries
    | PAUSE queries                                                         #pauseQueries
    | RESUME queries                                                        #resumeQueries
    | EXPLAIN queryId                                                       #explainQuery
    | EXPLAIN kafkalystStatement                                            #explainStatement
    | CREATE TYPE (IF NOT EXISTS)? identifier AS columnType                 #createType
    | DROP TYPE (IF EXISTS)? identifier                                     #dropType
    | DEFINE identifier EQ STRING                                           #defineVariable
    | UNDEFINE identifier                                                   #undefineVariable
    | SET STRING EQ STRING                                                  #setProperty
    | (UNSET | RESET) STRING                                                #unsetProperty
    | RUN SCRIPT STRING                                                     #runScript
    | ASSERT (NOT EXISTS)? TOPIC topicName withClause? timeout?             #assertTopic
    | ASSERT (NOT EXISTS)? SCHEMA (SUBJECT topicName)? (ID NUMBER)? timeout? #assertSchema
    ;

// Every nth record: ksqlDB's INTERVAL or SAMPLE.
sample: what=IDENTIFIER NUMBER?;

// One rule for everything that may follow the name, so that a syntax error lists all alternatives.
alteration
    : ADD (COLUMN | COLUMNS)? placedElement (COMMA furtherColumn)+          #addColumns
    | ADD (COLUMN | COLUMNS)? placedElements                                #addColumns
    | MODIFY placedElements                                                 #modifyColumns
    | DROP PRIMARY KEY                                                      #dropKey
    | DROP CONSTRAINT identifier                                            #dropConstraint
    | DROP WATERMARK                                                        #dropWatermark
    | DROP (identifier | LPAREN identifier (COMMA identifier)* RPAREN)      #dropColumns
    | REFRESH SCHEMA                                                        #refreshSchema
    | RENAME TO objectName                                                  #renameObject
    | RENAME from=identifier TO to=identifier                               #renameColumn
    | SET LPAREN property (COMMA property)* RPAREN                          #setOptions
    | RESET LPAREN propertyName (COMMA propertyName)* RPAREN                #resetOptions
    ;
// ksqlDB repeats the word ADD.
furtherColumn: ADD COLUMN? placedElement;
placedElements: placedElement (COMMA placedElement)* | LPAREN placedElement (COMMA placedElement)* RPAREN;
placedElement: columnElement (FIRST | AFTER identifier)?;

objectKind: STREAM | TABLE;
dialect: IDENTIFIER;
// IN, FROM and LIKE; IN and LIKE are not keywords, so that they stay valid names elsewhere.
place: (FROM | in=IDENTIFIER) objectName;
pattern: like=IDENTIFIER? STRING;
listable: STREAMS | TABLES | TOPICS | QUERIES;
sessionListable: TYPES | VARIABLES | PROPERTIES;
queries: ALL | queryId;
timeout: TIMEOUT NUMBER unit=IDENTIFIER;

objectName: identifier (DOT identifier)*;
topicName: STRING | identifier (DOT identifier)*;
queryId: identifier;
insertedColumns: LPAREN identifier (COMMA identifier)* RPAREN;

// Names without types reorder the columns of the query after AS.
columns: LPAREN (columnElement (COMMA columnElement)* | columnName (COMMA columnName)*) RPAREN;
columnName: identifier;
columnElement: tableKey | watermark | computedColumn | column;
// Flink's table clauses.
tableKey: (CONSTRAINT identifier)? PRIMARY KEY LPAREN identifier (COMMA identifier)* RPAREN (NOT ENFORCED)?;
watermark: WATERMARK FOR identifier (DOT identifier)* AS expression;
computedColumn: identifier AS expression (COMMENT_WORD STRING)?;
// Non-greedy, so that following clauses end the expression.
expression: (parenthesised | bracketed | ~(LPAREN | RPAREN | LBRACKET | RBRACKET | COMMA | SEMICOLON))+?;
bracketed: LBRACKET (bracketed | parenthesised | ~(LPAREN | RPAREN | LBRACKET | RBRACKET | SEMICOLON))* RBRACKET;
parenthesised: LPAREN (parenthesised | ~(LPAREN | RPAREN | SEMICOLON))* RPAREN;
column: identifier columnType columnRole* (COMMENT_WORD STRING)?;
tableComment: COMMENT_WORD STRING;
// Flink's PARTITIONED BY.
partitioned: what=IDENTIFIER by=IDENTIFIER LPAREN identifier (COMMA identifier)* RPAREN;
// Flink's INCLUDING, EXCLUDING or OVERWRITING, and the part of the table that it applies to.
likeOption: strategy=IDENTIFIER feature=(IDENTIFIER | ALL | METADATA);
columnRole
    : ((CONSTRAINT identifier)? PRIMARY)? KEY (NOT ENFORCED)?               #keyRole
    | METADATA (FROM STRING)? VIRTUAL?                                      #metadataRole
    | HEADERS                                                               #headersRole
    | HEADER LPAREN STRING RPAREN                                           #headerRole
    ;
// Spark's type parser reads the type's text; the grammar only finds where it ends.
columnType: typeWord+ (typeArguments typeWord*)* (WITH_LOCAL_TIME_ZONE typeWord*)?;
typeArguments: LPAREN typeToken* RPAREN | LT typeToken* GT;
typeToken: LPAREN typeToken* RPAREN | LT typeToken* GT
    | typeWord | CONSTRAINT | COMMA | COLON | NUMBER | DIGIT_NAME | STRING | QUOTED | BACKQUOTED | KEY | PRIMARY
    | HEADER | HEADERS | METADATA | VIRTUAL | FIRST | AFTER | WITH_LOCAL_TIME_ZONE;
typeWord: word;

withClause: WITH LPAREN (property (COMMA property)* COMMA?)? RPAREN;
property: propertyName EQ propertyValue;
propertyName: STRING | identifier (DOT identifier)*;
propertyValue: STRING | (MINUS | PLUS)? (NUMBER | DIGIT_NAME) | TRUE | FALSE | NULL;

// Spark's parser reads the query's text; the grammar only finds where it ends.
query: ~SEMICOLON+;

identifier: IDENTIFIER | QUOTED | BACKQUOTED | DIGIT_NAME | nonReserved;
word: IDENTIFIER | wordNotRole;

wordNotRole
    : ADD | ALL | ALTER | COLUMN | COLUMNS | REFRESH | SCHEMA
    | BEGINNING | CHANGES | COMMENT_WORD | DELETE | DESC | DESCRIBE | EMIT | ENFORCED | EXTENDED
    | FOR | IF | INTO | LIMIT
    | LIST | NOT | NULL | PRINT | QUERIES | REPLACE | SHOW | STREAMS | TABLES | TERMINATE | TOPIC | TOPICS | VALUES
    | WATERMARK | statementWord
    ;

// Keywords that are also valid names without quotes.
nonReserved
    : ADD | ALL | ALTER | COLUMN | COLUMNS | REFRESH | SCHEMA
    | BEGINNING | CHANGES | COMMENT_WORD | CONSTRAINT | DELETE | DESC | DESCRIBE | EMIT | ENFORCED | EXTENDED
    | AFTER | FIRST | FOR | HEADER | HEADERS | IF | KEY | LIMIT
    | LIST | METADATA | PRIMARY | PRINT | QUERIES | REPLACE | SHOW | STREAM | STREAMS | TABLES | TERMINATE | TOPIC | TOPICS | VALUES
    | VIRTUAL | WATERMARK | statementWord
    ;

// Keywords of small statements only; valid names everywhere else.
statementWord
    : ASSERT | DEFINE | EXPLAIN | FUNCTIONS | ID | MODIFY | PAUSE | PROPERTIES | RENAME | REPLAY | RESET | RESUME | RUN | SCRIPT | SET | SOURCE
    | SUBJECT | TIMEOUT | TO
    | TYPE | TYPES | UNDEFINE | UNSET | VARIABLES
    ;
