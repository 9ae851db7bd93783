package io.kafkalyst.formats
package avro

import java.lang.management.ManagementFactory

import io.kafkalyst.formats.FormatTesting._
import io.kafkalyst.model.Side
import io.kafkalyst.registry.WireFormat
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Schemas of many fields take time in proportion to their size. */
class WideSchemaSuite extends AnyFunSuite {
  private val threads = ManagementFactory.getThreadMXBean

  private def schema(fields: Int): String = (0 until fields)
    .map(i => s"""{"name":"f$i","type":["null","string"],"default":null}""")
    .mkString("""{"type":"record","name":"Wide","fields":[""", ",", "]}")

  /** Milliseconds of this thread's processor time. */
  private def spent(run: => Unit): Long = {
    val start = threads.getCurrentThreadCpuTime
    run
    (threads.getCurrentThreadCpuTime - start) / 1000000L
  }

  private def read(fields: Int, asked: Int => Boolean, declared: Int => Boolean): Unit = {
    val text = schema(fields)
    val all = (0 until fields).filter(declared).map(i => s"f$i" -> StringType)
    val wanted = (0 until fields).filter(i => declared(i) && asked(i)).map(i => s"f$i" -> StringType)
    val made = decoder(AvroFormat, value(all: _*), value(wanted: _*), new MapRegistry(Map(1 -> text)))
    assert(decode(made, value(wanted: _*), WireFormat.header(1) ++ new Array[Byte](fields)).forall(_ == null))
  }

  private val cases = Seq[(String, Int => Unit)](
    "one field of all is declared" -> (n => read(n, _ == n - 1, _ == n - 1)),
    "one column of all is asked for" -> (n => read(n, _ == n - 1, _ => true)),
    "every column is asked for" -> (n => read(n, _ => true, _ => true)),
    "every other column is asked for" -> (n => read(n, _ % 2 == 0, _ => true)),
    "the columns are those of the schema" ->
      (n => assert(columnsIn(AvroFormat, schema(n), Side.Value).size == n))
  )

  cases.foreach { case (name, run) =>
    test(s"45,000 fields: $name") {
      run(2000)
      val (few, many) = (spent(run(9000)), spent(run(45000)))
      // Five times the fields: a square would be 25 times.
      assert(many < 12 * math.max(few, 100), s"$few ms for 9,000 and $many ms for 45,000 fields")
    }
  }
}
