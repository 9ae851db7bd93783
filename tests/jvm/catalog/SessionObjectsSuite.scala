package io.kafkalyst.catalog

import io.kafkalyst.TopicSession
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model._
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
