package io.kafkalyst.model
package flink

import org.scalatest.funsuite.AnyFunSuite

class TimeDigitsSuite extends AnyFunSuite {
  test("the digits of the timestamps in a type, and not of what has their name") {
    Seq(
      "TIMESTAMP" -> Seq(6),
      "TIMESTAMP(3)" -> Seq(3),
      "timestamp_ltz ( 9 ) NOT NULL" -> Seq(9),
      "TIMESTAMP WITHOUT TIME ZONE" -> Seq(6),
      "TIMESTAMP(0) WITH LOCAL TIME ZONE" -> Seq(0),
      "TIMESTAMP ARRAY" -> Seq(6),
      "ARRAY<TIMESTAMP NULL>" -> Seq(6),
      "MAP<TIMESTAMP(3), TIMESTAMP(2)>" -> Seq(3, 2),
      "ROW<`timestamp` TIMESTAMP(3)>" -> Seq(3),
      "ROW<timestamp BIGINT, t TIMESTAMP(3)>" -> Seq(3),
      "ROW(timestamp TIMESTAMP(3), timestamp_ltz ARRAY<TIMESTAMP(1)>)" -> Seq(3, 1),
      "STRUCT<timestamp: TIMESTAMP, s: STRING>" -> Seq(6),
      "ROW<a TIMESTAMP(3) 'timestamp of the order; it''s TIMESTAMP', b TIMESTAMP(2) COMMENT 'TIMESTAMP'>" -> Seq(3, 2),
      "ROW<a INT /* TIMESTAMP */, b INT -- TIMESTAMP\n>" -> Nil
    ).foreach { case (text, digits) => assert(TimeDigits.of(text) == digits, text) }
  }
}
