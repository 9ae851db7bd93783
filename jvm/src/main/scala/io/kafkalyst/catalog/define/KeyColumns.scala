package io.kafkalyst.catalog
package define

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.Formats
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.model.flink.FlinkProperties

/** KEY_COLUMNS: whether an inferred key record becomes one column, or one column per field. */
private[catalog] object KeyColumns {
  private val (_, shape) = Properties.wrappingOf(Side.Key)

  private def flattens(properties: Map[String, String]): Boolean =
    properties.get(Properties.keyColumns.name).exists(_.equalsIgnoreCase("FLATTEN"))

  /**
   * The properties with FLATTEN expressed as KEY_FORMAT_TYPE.
   *
   * @throws io.kafkalyst.errors.KafkalystException INVALID_PROPERTY if the key is not inferred, CONFLICTING_PROPERTIES
   *         with KEY_FORMAT_TYPE='PLAIN'
   */
  def shaped(properties: Map[String, String], declared: Seq[TopicColumn], settings: Settings): Map[String, String] =
    if (!flattens(properties)) properties
    else {
      val keys = declared.filter(_.isIn(Side.Key))
      if (keys.nonEmpty)
        refuse(s"it is about a key that is looked up, and ${keys.map(_.name).mkString(", ")} is declared")
      val format =
        Formats(
          SideFormats.asked(Side.Key, properties).getOrElse(SideFormats.keyDefault(settings).toUpperCase(Locale.ROOT))
        )
      if (format.schemaType.isEmpty)
        refuse(s"it is about a key that is looked up, and format ${format.name} has no schemas")
      properties.get(shape.name).filterNot(_.equalsIgnoreCase("STRUCTURED")).foreach { plain =>
        throw KafkalystException(
          "CONFLICTING_PROPERTIES",
          "first" -> s"${Properties.keyColumns.name} = FLATTEN",
          "second" -> s"${shape.name} = $plain"
        )
      }
      properties + (shape.name -> "STRUCTURED")
    }

  /**
   * Throws INVALID_PROPERTY if FLATTEN is set for a key that is not a record, or KEY.FIELDS are not the key's columns.
   */
  def check(properties: Map[String, String], columns: Seq[TopicColumn]): Unit = {
    val order = properties.get(FlinkProperties.keyFields.name)
    val names = columns.filter(_.isIn(Side.Key)).map(_.name)
    order.filter(given => FlinkProperties.list(given).sorted != names.sorted).foreach { given =>
      throw FlinkProperties.keyFields.invalid(
        given,
        s"each of the key's columns is expected once: ${names.mkString(";")}"
      )
    }
    columns.filter(_.isIn(Side.Key)) match {
      case Seq(bare) if flattens(properties) && bare.name == "ROWKEY" =>
        refuse(s"the key's schema is not a record but a bare ${bare.dataType.sql}, which has no fields")
      case _ =>
    }
  }

  /** Whether KEY.FIELDS is already the order of the columns. */
  def isOrdered(order: String, columns: Seq[TopicColumn]): Boolean =
    FlinkProperties.list(order) == columns.filter(_.isIn(Side.Key)).map(_.name)

  private def refuse(reason: String): Nothing = throw Properties.keyColumns.invalid("FLATTEN", reason)
}
