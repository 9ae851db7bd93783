package io.kafkalyst.catalog

import java.util.Locale

import io.kafkalyst.catalog.define.ObjectDefinition
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.model.flink.{FlinkOptions, FlinkProperties}
import io.kafkalyst.names.InternalSchema

/** An object's creation properties, reconstructed from the object. */
private[kafkalyst] object ObjectProperties {

  /** All properties except the topic and the formats. */
  def of(o: TopicObject): Seq[(String, String)] = {
    val sides = Side.all.flatMap(side =>
      (o.format(side).options - SideFormat.events).toSeq.sorted.map { case (k, v) => property(side, k) -> v }
    )
    val errors = if (o.onError == OnError.Fail) Nil else Seq(Properties.onError.name -> o.onError.name)
    sides.distinct ++ errors ++ o.deadLetterTopic.map(Properties.deadLetterTopic.name -> _) ++
      (o.options - TopicObject.readOnly).toSeq.sorted
  }

  private def property(side: Side, option: String): String = option match {
    case SideFormat.wrapSingle => Properties.wrappingOf(side)._1.name
    case SideFormat.autoRegister | SideFormat.useLatest | SideFormat.guidHeaders => option
    case other => s"${side.name.toUpperCase(Locale.ROOT)}_$other"
  }

  /**
   * The object with the options of one statement, under Flink's names or Kafkalyst's.
   *
   * @throws io.kafkalyst.errors.KafkalystException FLINK_OPTION, and the errors of [[altered]]
   */
  def withOptions(o: TopicObject, options: Map[String, String], settings: => Settings): TopicObject = {
    val given = Properties.checked(FlinkOptions.ofQuery(options, o).toSeq)
    val altered = queried(o, given, settings)
    ObjectCodec.decode(
      InternalSchema.of(altered.columns),
      ObjectCodec.encode(altered) ++ ObjectCodec.properties(given)
    )
  }

  /** The object with one query's overrides, if these include formats or the key's columns. */
  def queried(o: TopicObject, given: Map[String, String], settings: => Settings): TopicObject = {
    val alters = (FlinkProperties.keyFields +: Side.all.map(Properties.formatOf)).exists(p => given.contains(p.name))
    if (alters) altered(o, given, settings) else o
  }

  /**
   * The object with one query's overrides: the same columns in other formats or roles.
   *
   * @param given the query's overrides, by upper-case name
   * @throws io.kafkalyst.errors.KafkalystException FLINK_OPTION for a key column that the object does not have, and the
   *         errors of [[ObjectDefinition.of]]
   */
  def altered(o: TopicObject, given: Map[String, String], settings: Settings): TopicObject = {
    val keys = given.get(FlinkProperties.keyFields.name).map(FlinkProperties.list)
    val physical = o.columns.filter(_.metadata.isEmpty).map(_.name)
    keys.toSeq.flatten.find(!physical.contains(_)).foreach { key =>
      throw KafkalystException(
        "FLINK_OPTION",
        "option" -> FlinkProperties.keyFields.name.toLowerCase(Locale.ROOT),
        "reason" -> FlinkProperties.notPhysical(key, physical)
      )
    }
    val columns = keys.fold(o.columns) { names =>
      o.columns.map { c =>
        if (c.metadata.isDefined) c else c.copy(side = if (names.contains(c.name)) Side.Key else Side.Value)
      }
    }
    // Options of one format do not apply to another.
    def as(side: Side) = given.get(Properties.formatOf(side).name).filterNot(_ == o.format(side).format)
      .fold(o.format(side))(SideFormat(_))
    val formats = Side.all.filter(side => side == Side.Value || columns.exists(_.isIn(side)))
      .map(side => Properties.formatOf(side).name -> as(side).format)
    val said = of(o.copy(key = as(Side.Key), value = as(Side.Value)))
    ObjectDefinition.of(
      o.kind,
      (said.toMap + (Properties.topic.name -> o.topic)) ++ formats - FlinkProperties.keyFields.name ++ given,
      columns,
      settings,
      () => ObjectDefinition.registry(settings),
      asDeclared = true
    ).copy(computed = o.computed, watermark = o.watermark, declared = o.declared)
  }
}
