// Words of queries: those of statements, and the first words of Kafkalyst's clauses and of the parts of a query.
lexer grammar QueryLexer;

options { caseInsensitive = true; tokenVocab = KafkalystLexer; }

import KafkalystLexer;

LBRACKET: '[';
RBRACKET: ']';
ARROW: '->';
FAT_ARROW: '=>';
// A single token, so that it does not contain an arrow.
NULL_SAFE: '<=>';
ASSIGN: ':=';

BY: 'BY';
FINAL: 'FINAL';
GRACE: 'GRACE';
GROUP: 'GROUP';
HAVING: 'HAVING';
HOPPING: 'HOPPING';
ON: 'ON';
ORDER: 'ORDER';
PARTITION: 'PARTITION';
PERIOD: 'PERIOD';
SESSION: 'SESSION';
STRUCT: 'STRUCT';
TUMBLING: 'TUMBLING';
WINDOW: 'WINDOW';
WITHIN: 'WITHIN';
