-- CHAR is VARCHAR: the records' texts are not padded.
CREATE TABLE kafka.${prefix}c (a CHAR(4), b VARCHAR(3)) USING kafkalyst;
INSERT INTO kafka.${prefix}c VALUES ('a', 'b');
INSERT INTO kafka.${prefix}c VALUES ('a', 'bcde');
INSERT INTO kafka.${prefix}c VALUES ('abcde', 'b');
SELECT a, length(a), b FROM kafka.${prefix}c WHERE a = 'a';
DESCRIBE kafka.${prefix}c;
