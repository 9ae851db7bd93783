// Words of queries: those of statements, and the ones that clauses of ours and the parts of a query begin with.
lexer grammar QueryLexer;

options { caseInsensitive = true; tokenVocab = KafkalystLexer; }

import KafkalystLexer;

LBRACKET: '[';
RBRACKET: ']';
ARROW: '->';
FAT_ARROW: '=>';
// One word, so that it holds no arrow.
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
