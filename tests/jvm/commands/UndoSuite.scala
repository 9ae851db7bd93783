package io.kafkalyst.commands

import io.kafkalyst.TopicSession
import io.kafkalyst.catalog.{ObjectName, ObjectStore}
import io.kafkalyst.model._
import org.apache.spark.sql.types.StringType
import org.scalatest.funsuite.AnyFunSuite

/** What a failed statement takes back of the catalog's entries: its own, and not what others have changed since. */
class UndoSuite extends AnyFunSuite with TopicSession {
  private lazy val store = new ObjectStore(session)
  private val options = CreateOptions(replace = false, ifNotExists = false)
  private val (own, theirs) = ("written.mine", "written.theirs")

  private def topic(name: String, columns: String*) = TopicObject(
    ObjectKind.Stream,
    name,
    SideFormat("KAFKA"),
    SideFormat("JSON"),
    columns.map(TopicColumn(_, StringType, Side.Value))
  )

  private def made(name: ObjectName, o: TopicObject, options: CreateOptions): Undo = {
    val undo = new Undo(Exclusive(name, Nil))
    val making = new ObjectCreation(store, name, null, () => fail("no registry"), undo)
    making.store(o, Map(own -> "new"), options)
    undo
  }

  test("a new entry is dropped, also after its query has written its state") {
    val name = ObjectName("default", "fresh")
    val undo = made(name, topic("fresh", "v"), options)
    store.setProperties(name, Map(own -> "failed"))
    undo.takeBack()
    assert(store.at(name).isEmpty)
  }

  test("a cancelled statement takes its steps back, and its own error stays") {
    var taken = false
    val undo = new Undo(Exclusive(ObjectName("default", "cancelled"), Nil))
    undo.add("a step") { taken = !Thread.currentThread.isInterrupted }
    val failed = intercept[IllegalStateException](undo.guard {
      Thread.currentThread.interrupt()
      throw new IllegalStateException("cancelled")
    })
    assert(Thread.interrupted() && taken && failed.getMessage == "cancelled")
  }

  test("a rollback that is cancelled takes the rest back, and the step that was cut short") {
    var taken = Seq.empty[String]
    val undo = new Undo(Exclusive(ObjectName("default", "cut"), Nil))
    undo.add("first")(taken :+= "first")
    undo.add("second") {
      taken :+= "second"
      if (taken.size == 1) throw new InterruptedException
    }
    undo.add("third") {
      Thread.currentThread.interrupt()
      taken = Nil
    }
    val failed = intercept[IllegalStateException](undo.guard(throw new IllegalStateException("failed")))
    assert(Thread.interrupted() && taken == Seq("second", "second", "first") && failed.getMessage == "failed")
  }

  test("a new entry stays if another query inserts into it, or it has other columns") {
    val (first, second) = (ObjectName("default", "used"), ObjectName("default", "altered"))
    val undo = made(first, topic("used", "v"), options)
    store.setProperties(first, Map(theirs -> "running"))
    undo.takeBack()
    assert(store.at(first).exists(_.properties(theirs) == "running"))
    val other = made(second, topic("altered", "v"), options)
    store.replace(store.at(second).get, topic("altered", "v", "w"), Map(own -> "new"))
    other.takeBack()
    assert(store.at(second).exists(_.topic.columns.size == 2))
  }

  test("a replaced entry is as it was, with what others have changed meanwhile") {
    val name = ObjectName("default", "replaced")
    store.create(name, topic("replaced", "v"), Map(own -> "old", "owner.team" -> "a"))
    val undo = made(name, topic("replaced", "v", "w"), options.copy(replace = true))
    store.setProperties(name, Map(own -> "failed", theirs -> "running"))
    undo.takeBack()
    val now = store.at(name).get
    assert(now.topic.columns.map(_.name) == Seq("v"))
    assert(Seq(own, theirs, "owner.team").map(now.properties.get) == Seq(Some("old"), Some("running"), Some("a")))
  }

  test("a replaced entry that another has replaced since stays") {
    val name = ObjectName("default", "twice")
    store.create(name, topic("twice", "v"), Map.empty)
    val undo = made(name, topic("twice", "v", "w"), options.copy(replace = true))
    store.replace(store.at(name).get, topic("twice", "v", "w", "x"), Map.empty)
    undo.takeBack()
    assert(store.at(name).exists(_.topic.columns.size == 3))
  }
}
