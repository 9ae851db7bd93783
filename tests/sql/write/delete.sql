-- DELETE writes tombstones; the table's row of the key is gone.
CREATE TABLE users (id INT PRIMARY KEY, region STRING PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC = '${prefix}users', FORMAT = 'JSON', PARTITIONS = 2);
INSERT INTO users VALUES (1, 'eu', 'Ann'), (2, 'eu', 'Bob'), (3, 'us', 'Cleo'), (4, 'us', 'Dan'), (5, 'eu', 'Eve');
DELETE FROM users WHERE id = 1 AND region = 'eu';
DELETE FROM users AS u WHERE 'us' = u.region AND (u.ID = 3);
SELECT * FROM users;
DELETE FROM users WHERE id IN (2, 5) AND region IN ('eu', 'us');
SELECT * FROM users;
SELECT id, region, _tombstone FROM users EMIT CHANGES;
DELETE FROM users WHERE id = 4;
DELETE FROM users WHERE id = 4 AND region = 'us' AND name = 'Dan';
DELETE FROM users WHERE id = 4 AND region = 'us' AND id = 5;
DELETE FROM users WHERE id > 4 AND region = 'us';
DELETE FROM users WHERE id = 4 OR region = 'us';
DELETE FROM users WHERE id = NULL AND region = 'us';
DELETE FROM users WHERE id = id AND region = 'us';
DELETE FROM users WHERE id = 'four' AND region = 'us';
DELETE FROM users;
DELETE FROM users WHERE id = 4 AND region IN (SELECT 'us');
SELECT * FROM users;
-- A stream has tombstones too, and odd names.
CREATE STREAM facts ("Order Id" BIGINT KEY, "order id" STRING) WITH (KAFKA_TOPIC = '${prefix}facts', VALUE_FORMAT = 'JSON', PARTITIONS = 1);
INSERT INTO facts ("Order Id", "order id") VALUES (7, 'seven');
DELETE FROM facts WHERE "Order Id" = 7;
DELETE FROM facts WHERE "order id" = 7;
SELECT * FROM facts;
DROP STREAM facts;
-- Flink's dialect.
CREATE TABLE upserts (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = '${prefix}facts', 'key.format' = 'raw', 'value.format' = 'json', 'value.null-row' = 'tombstone');
INSERT INTO upserts VALUES ('a', 1), ('b', 2), ('c', 3);
DELETE FROM upserts WHERE k = 'a';
INSERT INTO upserts (k) VALUES ('b');
SELECT k, v FROM upserts;
-- Each pair of two lists would be a record.
DELETE FROM users WHERE id IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255, 256, 257, 258, 259, 260, 261, 262, 263, 264, 265, 266, 267, 268, 269, 270, 271, 272, 273, 274, 275, 276, 277, 278, 279, 280, 281, 282, 283, 284, 285, 286, 287, 288, 289, 290, 291, 292, 293, 294, 295, 296, 297, 298, 299, 300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 310, 311, 312, 313, 314, 315, 316, 317, 318, 319, 320, 321, 322, 323, 324, 325, 326, 327, 328, 329, 330, 331, 332, 333, 334, 335, 336, 337, 338, 339, 340, 341, 342, 343, 344, 345, 346, 347, 348, 349, 350, 351, 352, 353, 354, 355, 356, 357, 358, 359, 360, 361, 362, 363, 364, 365, 366, 367, 368, 369, 370, 371, 372, 373, 374, 375, 376, 377, 378, 379, 380, 381, 382, 383, 384, 385, 386, 387, 388, 389, 390, 391, 392, 393, 394, 395, 396, 397, 398, 399) AND region IN ('r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15', 'r16', 'r17', 'r18', 'r19', 'r20', 'r21', 'r22', 'r23', 'r24', 'r25', 'r26', 'r27', 'r28', 'r29', 'r30', 'r31', 'r32', 'r33', 'r34', 'r35', 'r36', 'r37', 'r38', 'r39', 'r40', 'r41', 'r42', 'r43', 'r44', 'r45', 'r46', 'r47', 'r48', 'r49', 'r50', 'r51', 'r52', 'r53', 'r54', 'r55', 'r56', 'r57', 'r58', 'r59', 'r60', 'r61', 'r62', 'r63', 'r64', 'r65', 'r66', 'r67', 'r68', 'r69', 'r70', 'r71', 'r72', 'r73', 'r74', 'r75', 'r76', 'r77', 'r78', 'r79', 'r80', 'r81', 'r82', 'r83', 'r84', 'r85', 'r86', 'r87', 'r88', 'r89', 'r90', 'r91', 'r92', 'r93', 'r94', 'r95', 'r96', 'r97', 'r98', 'r99', 'r100', 'r101', 'r102', 'r103', 'r104', 'r105', 'r106', 'r107', 'r108', 'r109', 'r110', 'r111', 'r112', 'r113', 'r114', 'r115', 'r116', 'r117', 'r118', 'r119', 'r120', 'r121', 'r122', 'r123', 'r124', 'r125', 'r126', 'r127', 'r128', 'r129', 'r130', 'r131', 'r132', 'r133', 'r134', 'r135', 'r136', 'r137', 'r138', 'r139', 'r140', 'r141', 'r142', 'r143', 'r144', 'r145', 'r146', 'r147', 'r148', 'r149', 'r150', 'r151', 'r152', 'r153', 'r154', 'r155', 'r156', 'r157', 'r158', 'r159', 'r160', 'r161', 'r162', 'r163', 'r164', 'r165', 'r166', 'r167', 'r168', 'r169', 'r170', 'r171', 'r172', 'r173', 'r174', 'r175', 'r176', 'r177', 'r178', 'r179', 'r180', 'r181', 'r182', 'r183', 'r184', 'r185', 'r186', 'r187', 'r188', 'r189', 'r190', 'r191', 'r192', 'r193', 'r194', 'r195', 'r196', 'r197', 'r198', 'r199', 'r200', 'r201', 'r202', 'r203', 'r204', 'r205', 'r206', 'r207', 'r208', 'r209', 'r210', 'r211', 'r212', 'r213', 'r214', 'r215', 'r216', 'r217', 'r218', 'r219', 'r220', 'r221', 'r222', 'r223', 'r224', 'r225', 'r226', 'r227', 'r228', 'r229', 'r230', 'r231', 'r232', 'r233', 'r234', 'r235', 'r236', 'r237', 'r238', 'r239', 'r240', 'r241', 'r242', 'r243', 'r244', 'r245', 'r246', 'r247', 'r248', 'r249', 'r250', 'r251', 'r252', 'r253', 'r254', 'r255', 'r256', 'r257', 'r258', 'r259', 'r260', 'r261', 'r262', 'r263', 'r264', 'r265', 'r266', 'r267', 'r268', 'r269', 'r270', 'r271', 'r272', 'r273', 'r274', 'r275', 'r276', 'r277', 'r278', 'r279', 'r280', 'r281', 'r282', 'r283', 'r284', 'r285', 'r286', 'r287', 'r288', 'r289', 'r290', 'r291', 'r292', 'r293', 'r294', 'r295', 'r296', 'r297', 'r298', 'r299');
-- No key that could be deleted.
CREATE STREAM keyless (v INT) WITH (KAFKA_TOPIC = '${prefix}facts', VALUE_FORMAT = 'JSON');
DELETE FROM keyless WHERE v = 1;
CREATE STREAM windowed (k STRING KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}facts', VALUE_FORMAT = 'JSON', WINDOW_TYPE = 'SESSION');
DELETE FROM windowed WHERE k = 'a';
CREATE SOURCE TABLE only_read (k STRING PRIMARY KEY, v INT) WITH (KAFKA_TOPIC = '${prefix}facts', VALUE_FORMAT = 'JSON');
DELETE FROM only_read WHERE k = 'a';
