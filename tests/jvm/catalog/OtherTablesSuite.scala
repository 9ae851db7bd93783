package io.kafkalyst.catalog

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.TableIdentifier
import org.scalatest.funsuite.AnyFunSuite

/** Foreign tables are asked for once, and again after a while without anybody waiting for it. */
class OtherTablesSuite extends AnyFunSuite {
  private var time = 0L
  private def id(table: String) = TableIdentifier(table, Some("db"))

  test("a table that was seen is passed over, also in another case of its name, until it becomes ours") {
    val others = new OtherTables(() => time)
    assert(!others.knows(id("a")))
    others.saw(id("a"))
    assert(others.knows(id("A")))
    others.forget(id("A"))
    assert(!others.knows(id("a")))
  }

  test("what was seen long ago is still passed over, and looked at again by one caller") {
    val others = new OtherTables(() => time)
    others.saw(id("a"))
    time += TimeUnit.MINUTES.toNanos(9)
    others.saw(id("b"))
    val all = Seq(id("a"), id("b"), id("c"))
    assert(others.takeOld(all).isEmpty)
    time += TimeUnit.MINUTES.toNanos(1)
    assert(others.knows(id("a")))
    assert(others.takeOld(all) == Seq(id("a")))
    assert(others.takeOld(all).isEmpty)
    time += TimeUnit.MINUTES.toNanos(10)
    assert(others.takeOld(all).toSet == Set(id("a"), id("b")))
  }
}
