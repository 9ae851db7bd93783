// Where the clauses of ours stand in a query that Spark refuses. Everything else is Spark's to read: here it is words in
// parts, lists and brackets. Every text has a tree, also one that is no query, and no decision looks farther than the
// clause that it is about, so that the time is linear.
parser grammar QueryParser;

options { tokenVocab = QueryLexer; }

text: content ((RPAREN | RBRACKET | SEMICOLON) content)* EOF;

// The whole text, or what stands between two brackets: a query, or a call's arguments.
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

// A clause has something before it: `SELECT emit changes` is a column with another name.
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
