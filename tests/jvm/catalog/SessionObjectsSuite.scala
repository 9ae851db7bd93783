package io.kafkalyst.catalog

import io.kafkalyst.TopicSession
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
}
