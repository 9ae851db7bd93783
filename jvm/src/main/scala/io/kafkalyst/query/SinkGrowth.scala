package io.kafkalyst.query

import io.kafkalyst.catalog.{ObjectStore, StoredObject}
import io.kafkalyst.catalog.define.{Evolution, Growth, ObjectDefinition, RegistrationListener}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn, TopicObject}
import org.apache.spark.sql.SparkSession

/** Adds the columns that a query's result gains with its sources (SCHEMA.EVOLUTION=add) to its sink. */
private[query] object SinkGrowth {

  /**
   * The sink with the result's new and wider value columns, registered and stored; unchanged if there are none, or if
   * VALUE_SCHEMA_ID determines the sink's columns.
   *
   * @throws io.kafkalyst.errors.KafkalystException OBJECT_CHANGED if another application changes the sink concurrently,
   *         and the errors of [[Evolution.withColumns]] and [[Evolution.extended]]
   */
  def of(session: SparkSession, sink: StoredObject, result: Seq[TopicColumn]): StoredObject = {
    val before = sink.topic
    val wider = before.columns.map { c =>
      val given = if (c.isIn(Side.Value)) result.find(r => r.isIn(Side.Value) && r.name == c.name) else None
      given.fold(c)(g => c.copy(dataType = Growth.wider(c.dataType, g.dataType)))
    }
    val fresh = result.filter(c => c.isIn(Side.Value) && !wider.exists(_.name.equalsIgnoreCase(c.name)))
    if ((fresh.isEmpty && wider == before.columns) || before.value.options.contains(SideFormat.givenId)) sink
    else {
      val store = new ObjectStore(session)
      def registry = ObjectDefinition.registry(store.settings(sink.name))
      val grown = Evolution.withColumns(sink.name, before.copy(columns = wider), fresh)
      val registered =
        if (wider == before.columns) Evolution.extended(grown, fresh, () => registry)
        else ObjectDefinition.registered(anew(grown), always = true, () => registry, RegistrationListener.Ignore)
      if (!store.replace(sink, registered, sink.others))
        throw KafkalystException("OBJECT_CHANGED", "kind" -> before.kind.name, "name" -> sink.name.toString)
      sink.copy(topic = registered)
    }
  }

  private def anew(o: TopicObject) = o.copy(value = o.value.copy(schemaId = None))
}
