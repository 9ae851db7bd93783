// Finds Kafkalyst's clauses in a query that Spark refuses. Spark reads everything else, which here is only words in
// parts, lists and brackets. Every text has a parse tree, even if it is not a query. No decision looks beyond the
// clause that it concerns, so that parsing takes linear time.
parser grammar QueryParser;

options { tokenVocab = QueryLexer; }

text: content ((RPAREN | RBRACKET | SEMICOLON) content)* EOF;

// The whole text, or the text between two brackets: a query, or a call's arguments.
content: list part*;

part
    : SELECT list                                                           #selected
    | FROM source (COMMA source)*                                           #sources
    | JOIN source                                                           #joined
    | ON list                                                               #condition
    | GROUP BY? list                                                        #grouped
    | PARTITION BY list                                                     #partitioned
    | (HAVING | ORDER | LIMIT) list                                         #other
    ;

list: item? (COMMA item?)*;
source: STREAM? item?;

// A clause must follow something: in `SELECT emit changes`, `changes` is an alias of the column `emit`.
item: (element | angle) (clause | element | angle)*;
angle: LT | GT;

clause
    : EMIT (CHANGES | FINAL)                                                #emit
    | WINDOW name=word? kind=(TUMBLING | HOPPING | SESSION) LPAREN span? (COMMA span?)* RPAREN #window
    | WITHIN (both=time | LPAREN before=time (COMMA? after=time)? RPAREN) (GRACE PERIOD grace=time)? #within
    ;
span: ~(COMMA | RPAREN | SEMICOLON)+;
time: (NUMBER | DIGIT_NAME) unit=IDENTIFIER?;

element
    : LPAREN content RPAREN?                                                #group
    | LBRACKET content RBRACKET?                                            #brackets
    | STRUCT LT field (COMMA field)* GT                                     #record
    | word                                                                  #plain
    ;
field: element+;

word: ~(LPAREN | RPAREN | LBRACKET | RBRACKET | COMMA | SEMICOLON | LT | GT
    | SELECT | FROM | JOIN | ON | GROUP | PARTITION | HAVING | ORDER | LIMIT);
