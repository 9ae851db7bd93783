package io.kafkalyst.model
package flink

import java.util.Locale

import io.kafkalyst.errors.KafkalystException

/**
 * Flink's options in ALTER TABLE … SET TBLPROPERTIES. CREATE translates them into a definition, so an entry would keep
 * those with other names than Kafkalyst's without effect. Names that could be a user's own property are options only
 * for tables of Flink's DDL.
 */
object FlinkChanges {

  /** @throws io.kafkalyst.errors.KafkalystException FLINK_OPTION for an option that would have no effect */
  def check(given: Map[String, String], o: TopicObject): Unit =
    for ((name, value) <- given.toSeq.sorted; reason <- fault(name.toLowerCase(Locale.ROOT), value, o))
      throw KafkalystException("FLINK_OPTION", "option" -> name, "reason" -> reason)

  private def fault(name: String, value: String, o: TopicObject): Option[String] = {
    val keys = o.columns(Side.Key).map(_.name)
    def listed = keys.map(k => s"'$k'").mkString(", ")
    def keysAre = if (keys.isEmpty) "the table's definition has no key columns" else s"the key's columns are $listed"
    name match {
      case "topic" if o.isFlinks => Some(by(Properties.topic))
      case "key.format" => Some(by(Properties.keyFormat))
      case "value.format" => Some(by(Properties.valueFormat))
      case "sink.semantic" => Some(by(SinkProperties.guarantee))
      case "key.fields" if FlinkProperties.list(value).sorted != keys.sorted => Some(s"$keysAre; $replaced")
      case "key.fields-prefix" if keys.isEmpty || keys.exists(!_.startsWith(value)) =>
        Some(s"all key columns must begin with it, but $keysAre")
      case FlinkOptions.connector => Some(isDefined)
      case FlinkOptions.formatOptions(_, _) if o.isFlinks && !Properties.isOne(name) => Some(isDefined)
      case _ => None
    }
  }

  private val replaced = "CREATE OR REPLACE TABLE changes it"
  private val isDefined = s"it is a part of the table's definition; $replaced"

  private def by(property: Property) =
    s"this statement changes it by Kafkalyst's property '${property.name.toLowerCase(Locale.ROOT)}'"
}
