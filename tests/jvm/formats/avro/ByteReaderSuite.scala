package io.kafkalyst.formats
package avro

import java.io.ByteArrayOutputStream
import java.math.BigInteger
import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}

import org.apache.avro.io.EncoderFactory
import org.scalatest.funsuite.AnyFunSuite

import scala.util.{Random, Try}

/** What is read eight bytes at a time, wherever it begins and ends in the array. */
class ByteReaderSuite extends AnyFunSuite {
  private val random = new Random(11)
  private val reader = new ByteReader

  /** The bytes with others around them, of which the reader is to see those behind only. */
  private def within[T](bytes: Array[Byte], before: Int, behind: Int)(read: => T): T = {
    val all = new Array[Byte](before + bytes.length + behind + random.nextInt(3))
    random.nextBytes(all)
    System.arraycopy(bytes, 0, all, before, bytes.length)
    reader.reset(all, before, bytes.length + behind)
    read
  }

  test("numbers of every length, as Avro's own encoder writes them") {
    val numbers = (0 to 63).flatMap(b => Seq(1L << b, (1L << b) - 1, -(1L << b), random.nextLong() >> b))
    for (n <- numbers; before <- Seq(0, 1, 9); behind <- 0 to 10) {
      val out = new ByteArrayOutputStream
      val encoder = EncoderFactory.get.directBinaryEncoder(out, null)
      encoder.writeLong(n)
      val found = within(out.toByteArray, before, behind)((reader.readLong(), reader.remaining))
      assert(found == ((n, behind)), s"with $before bytes before and $behind behind")
    }
  }

  test("numbers that are cut off are bad") {
    for (n <- 1 to 9; before <- Seq(0, 9))
      intercept[BadBytes](within(Array.fill(n)(0x80.toByte), before, 0)(reader.readLong()))
  }

  test("big-endian numbers of one to eight bytes") {
    for (length <- 1 to 8; before <- 0 to 9; _ <- 1 to 50) {
      val bytes = new Array[Byte](length)
      random.nextBytes(bytes)
      assert(within(bytes, before, 0)(reader.readBigEndian(length)) == new BigInteger(bytes).longValueExact)
    }
  }

  test("strings are those that Java's strict decoder takes") {
    val pieces = Seq("a", "é", "漢", "😀", "z")
    for (length <- 0 to 20; before <- Seq(0, 3); at <- -1 to length; _ <- 1 to 4) {
      val bytes = Seq.fill(length)(if (random.nextInt(8) == 0) pieces(random.nextInt(5)) else "x").mkString
        .getBytes(StandardCharsets.UTF_8)
      if (at >= 0 && at < bytes.length) bytes(at) = random.nextInt(256).toByte
      val known =
        try Some(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString)
        catch { case _: CharacterCodingException => None }
      val found = Try(within(bytes, before, 5)(reader.readString(bytes.length)).toString).toOption
      assert(found == known, bytes.mkString(" "))
    }
  }
}
