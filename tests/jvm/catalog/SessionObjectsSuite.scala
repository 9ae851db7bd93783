package io.kafkalyst.catalog

import java.util.concurrent.{CountDownLatch, TimeUnit}

import io.kafkalyst.TopicSession
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model._
import org.apache.spark.sql.catalyst.catalog.{AlterTablePreEvent, ExternalCatalogEvent, ExternalCatalogEventListener}
import org.apache.spark.sql.types.LongType
import org.scalatest.funsuite.AnyFunSuite

final class SessionObjectsSuite extends AnyFunSuite with TopicSession {
  private lazy val store = new ObjectStore(session)

  private def found(name: String) = store.at(ObjectName("default", name)).get

  test("a definition that has changed since it was read is not replaced") {
    define(ObjectKind.Stream, "changed", "k STRING, v INT")
    val before = found("changed")
    store.setProperties(before.name, Map("kafkalyst.query.other" -> "{}"))
    assert(!store.replace(before, before.topic.copy(onError = OnError.Skip), before.properties))
    assert(found("changed").properties("kafkalyst.query.other") == "{}")
    assert(found("changed").topic == before.topic)
  }

  test("a definition is replaced as it was read, with more columns or fewer") {
    define(ObjectKind.Stream, "same", "k STRING, v INT")
    val more = found("same").topic.columns :+ TopicColumn("w", LongType, Side.Value)
    assert(store.replace(found("same"), found("same").topic.copy(columns = more), Map.empty))
    assert(found("same").topic.columns == more)
    assert(store.replace(found("same"), found("same").topic.copy(columns = more.take(2)), Map.empty))
    assert(found("same").topic.columns == more.take(2))
  }

  test("types that are made at once are all kept") {
    val names = (1 to 48).map(i => s"T$i")
    val made = names.map { name =>
      val other = session.newSession()
      new Thread(() => new NamedTypes(other).change(name)(_ => Some("INT")))
    }
    made.foreach(_.start())
    made.foreach(_.join())
    assert(new NamedTypes(session).all().map(_._1) == names.sorted)
  }

  test("a metastore that takes long for one entry keeps nobody from changing others") {
    Seq("slow", "quick").foreach(define(ObjectKind.Stream, _, "k STRING, v INT"))
    val (begun, goOn) = (new CountDownLatch(1), new CountDownLatch(1))
    // The listener is called by the thread that changes the entry.
    val blocks = new ExternalCatalogEventListener {
      override def onEvent(event: ExternalCatalogEvent): Unit = event match {
        case AlterTablePreEvent(_, "slow", _) =>
          begun.countDown()
          goOn.await(60, TimeUnit.SECONDS)
          ()
        case _ =>
      }
    }
    session.sharedState.externalCatalog.addListener(blocks)
    val other = new Thread(() => store.setProperties(ObjectName("default", "slow"), Map("a" -> "1")))
    other.start()
    try {
      assert(begun.await(60, TimeUnit.SECONDS))
      store.setProperties(ObjectName("default", "quick"), Map("a" -> "2"))
      assert(found("quick").properties("a") == "2" && !found("slow").properties.contains("a"))
    } finally {
      goOn.countDown()
      other.join()
      session.sharedState.externalCatalog.removeListener(blocks)
    }
    assert(found("slow").properties("a") == "1")
  }

  test("an entry that cannot be read is left out of listings, and named") {
    define(ObjectKind.Stream, "whole", "k STRING, v INT")
    for (
      (property, value) <- Seq(
        "kafkalyst.value.schema.id" -> "x",
        "kafkalyst.key.columns" -> "oops",
        "kafkalyst.key.columns" -> "7",
        "kafkalyst.renamed.columns" -> "[]",
        "kafkalyst.metadata.columns" -> """[["1"]]""",
        "kafkalyst.computed.columns" -> """[["a","b","c","d"]]""",
        "kafkalyst.watermark" -> "{}",
        "kafkalyst.schema" -> "oops"
      )
    ) {
      define(ObjectKind.Stream, "broken", "k STRING, v INT")
      val name = ObjectName("default", "broken")
      store.setProperties(name, Map(property -> value))
      assert(store.listAll().map(_.name.table).contains("whole"))
      assert(!store.listAll().map(_.name.table).contains("broken"))
      val e = intercept[KafkalystException](store.find(Seq("broken")))
      assert(e.getCondition == "KAFKALYST_DEFINITION_UNREADABLE" && e.getMessage.contains("default.broken"))
      assert(store.isBroken(Seq("broken")) && !store.isBroken(Seq("whole")))
      session.sql(if (property.contains("key")) "DROP TABLE IF EXISTS broken" else "DROP STREAM broken").collect()
      assert(store.kindAt(name).isEmpty)
    }
  }

  test("SET and UNSET TBLPROPERTIES keep an entry's comment, with another format too") {
    define(ObjectKind.Stream, "noted", "k STRING, v INT")
    val (name, topic) = (found("noted").name, found("noted").topic)
    assert(store.replace(found("noted"), topic, Map("comment" -> "of the shop", "owner.team" -> "a")))
    Seq("SET TBLPROPERTIES ('on_error' = 'skip')", "UNSET TBLPROPERTIES ('owner.team')").foreach { change =>
      session.sql(s"ALTER TABLE noted $change")
    }
    assert(found("noted").properties.get("comment").contains("of the shop"))
    session.sql("ALTER TABLE noted SET TBLPROPERTIES ('value_format' = 'delimited', 'owner.team' = 'b')")
    val now = store.at(name).get
    assert(Seq("comment", "owner.team").map(now.properties) == Seq("of the shop", "b"))
    assert(now.topic == topic.copy(value = SideFormat("DELIMITED"), onError = OnError.Skip))
    intercept[KafkalystException](session.sql("ALTER TABLE noted SET TBLPROPERTIES ('value_format' = 'NOPE')"))
    session.sql("ALTER TABLE noted SET TBLPROPERTIES ('comment' = 'other')")
    assert(found("noted").properties("comment") == "other")
  }
}
