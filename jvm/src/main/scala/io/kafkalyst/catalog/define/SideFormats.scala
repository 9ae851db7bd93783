package io.kafkalyst.catalog
package define

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.{Format, Formats, Wrapping}
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings

/** Determines each side's serialisation from a statement's properties and the session's defaults. */
object SideFormats {

  /**
   * The name of the format in the statement; None to use the default.
   *
   * @param properties checked properties by upper-case name
   */
  def asked(side: Side, properties: Map[String, String]): Option[String] =
    properties.get(Properties.format.name).orElse(properties.get(Properties.formatOf(side).name)).map(upper)

  /**
   * The format of a side: the requested one, otherwise the session's default.
   *
   * @throws io.kafkalyst.errors.KafkalystException UNKNOWN_FORMAT, NO_VALUE_FORMAT
   */
  def of(side: Side, properties: Map[String, String], settings: Settings): SideFormat = {
    val name = asked(side, properties).getOrElse(default(side, settings))
    val format = Formats(name)
    val options = Properties.sideOptions.flatMap { case (owner, option, property) =>
      properties.get(property.name).filter(_ => owner == side).map { value =>
        if (!format.properties.contains(option)) throw unsupported(property, format, option)
        option -> value
      }
    }
    // Set before the columns are known, because it determines which columns a schema yields.
    val wrap = saidOf(side, properties).map { case (_, wrap) => SideFormat.wrapSingle -> wrap.toString }
    val said = options.toMap.filterNot { case (option, value) =>
      defaults.get(option).exists(_.equalsIgnoreCase(value))
    }
    val ofDialect =
      if (settings.isKsqldb && format.properties.contains(SideFormat.emptyIsNull))
        Map(SideFormat.emptyIsNull -> SideFormat.always) -- options.map(_._1)
      else Map.empty[String, String]
    SideFormat(name, None, ofDialect ++ said ++ wrap ++ SideSchemas.options(side, format, properties))
  }

  /** Values that are equivalent to an unset option. */
  private val defaults = Map(
    SideFormat.nullBadFields -> "false",
    SideFormat.skipBad -> "false",
    SideFormat.quote -> "\"",
    SideFormat.emptyIsNull -> "true",
    SideFormat.allowComments -> "false",
    SideFormat.requireFields -> "false",
    SideFormat.omitNulls -> "false",
    SideFormat.coerce -> "false",
    SideFormat.decimalForm -> SideFormat.scaled,
    SideFormat.timestampStandard -> "NUMBER",
    SideFormat.charset -> "UTF-8"
  )

  /**
   * Adds the side's wrapping if it is not implied.
   *
   * @param columns the side's columns
   * @throws io.kafkalyst.errors.KafkalystException WRAPPING_NOT_SUPPORTED with the reason
   */
  def wrapped(
      side: Side,
      as: SideFormat,
      columns: Seq[TopicColumn],
      properties: Map[String, String],
      settings: Settings
  ): SideFormat = {
    val format = Formats(as.format)
    val said = saidOf(side, properties)
    val wrap = said.flatMap { case (property, wrap) =>
      def refuse(reason: String) = throw KafkalystException(
        "WRAPPING_NOT_SUPPORTED",
        "property" -> property.name,
        "value" -> properties(property.name),
        "reason" -> reason
      )
      // Several columns are always STRUCTURED.
      val shape = property == Properties.wrappingOf(side)._2
      if (columns.size == 1 && wrap && format.wrapping == Wrapping.Never) {
        refuse(s"format ${format.name} has no records, so its single ${side.name} column stands bare")
      } else if (columns.size == 1 && !wrap && format.wrapping == Wrapping.Always) {
        refuse(s"format ${format.name} knows only messages, so a single ${side.name} column cannot stand bare")
      } else if (columns.size > 1 && shape && wrap && format.wrapping != Wrapping.Never) None
      else if (columns.size != 1) {
        refuse(
          s"it is about a single column, and there ${if (columns.isEmpty) "is no" else "are " + columns.size} ${side.name} " +
            (if (columns.isEmpty) "column" else "columns")
        )
      } else Some(wrap)
    }
    val wanted = wrap.orElse {
      settings.get(Settings.wrapSingleValues).map(_.toBoolean).filter(_ =>
        said.isEmpty && side == Side.Value && columns.size == 1 && format.wrapping == Wrapping.Either
      )
    }
    // Defaults are not stored, so equal objects compare equal.
    val told = wanted.filterNot(w => format.wrapping == Wrapping.Either && w == (side == Side.Value))
    as.copy(options = as.options - SideFormat.wrapSingle ++ told.map(SideFormat.wrapSingle -> _.toString))
  }

  /** The side's wrapping in the statement; CONFLICTING_PROPERTIES if both ways of setting it disagree. */
  private def saidOf(side: Side, properties: Map[String, String]): Option[(Property, Boolean)] = {
    val (wrap, shape) = Properties.wrappingOf(side)
    val byWrap = properties.get(wrap.name).map(v => wrap -> v.toBoolean)
    val byShape = properties.get(shape.name).map(v => shape -> v.equalsIgnoreCase("STRUCTURED"))
    (byWrap, byShape) match {
      case (Some((_, a)), Some((_, b))) if a != b =>
        throw KafkalystException(
          "CONFLICTING_PROPERTIES",
          "first" -> s"${wrap.name} = ${properties(wrap.name)}",
          "second" -> s"${shape.name} = ${properties(shape.name)}"
        )
      case _ => byShape.orElse(byWrap)
    }
  }

  private def default(side: Side, settings: Settings): String = side match {
    case Side.Key => upper(keyDefault(settings))
    case Side.Value =>
      upper(settings.get(Settings.defaultValueFormat).getOrElse(throw KafkalystException(
        "NO_VALUE_FORMAT",
        "property" -> Properties.valueFormat.name,
        "setting" -> Settings.defaultValueFormat.name
      )))
  }

  /** The session's key format; NO_KEY_FORMAT if it was set to the empty string. */
  private[kafkalyst] def keyDefault(settings: Settings): String =
    if (!settings.isEmptied(Settings.defaultKeyFormat)) settings(Settings.defaultKeyFormat)
    else throw KafkalystException(
      "NO_KEY_FORMAT",
      "property" -> Properties.keyFormat.name,
      "setting" -> Settings.defaultKeyFormat.name
    )

  private def unsupported(property: Property, format: Format, option: String) = KafkalystException(
    "PROPERTY_OF_OTHER_FORMAT",
    "property" -> property.name,
    "format" -> format.name,
    "formats" -> Formats.knowing(option).mkString(", ")
  )

  private def upper(name: String) = name.trim.toUpperCase(Locale.ROOT)
}
