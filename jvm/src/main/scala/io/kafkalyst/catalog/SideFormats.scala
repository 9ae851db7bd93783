package io.kafkalyst.catalog

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.{Format, Formats, Wrapping}
import io.kafkalyst.model._

/** From a statement's properties and the session's defaults to how each side is serialised. */
object SideFormats {

  /**
   * The format's name that the statement asks for; None where it leaves it to a default.
   *
   * @param properties checked properties by upper-case name
   */
  def asked(side: Side, properties: Map[String, String]): Option[String] =
    properties.get(Properties.format.name).orElse(properties.get(Properties.formatOf(side).name)).map(upper)

  /**
   * The format of a side: asked for, else the session's default.
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
    // Said before the columns are known, as it decides what columns a schema gives.
    val wrap = saidOf(side, properties).map { case (_, wrap) => SideFormat.wrapSingle -> wrap.toString }
    val said = options.toMap.filterNot { case (option, value) =>
      defaults.get(option).exists(_.equalsIgnoreCase(value))
    }
    SideFormat(name, None, said ++ wrap ++ SideSchemas.options(side, format, properties))
  }

  /** Values that are the same as none. */
  private val defaults = Map(
    SideFormat.nullBadFields -> "false",
    SideFormat.requireFields -> "false",
    SideFormat.timestampStandard -> "NUMBER",
    SideFormat.charset -> "UTF-8"
  )

  /**
   * With the side's wrapping, where there is anything to say about it.
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
      // STRUCTURED over several columns is what they are anyway.
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
    // What the format does anyhow is not noted, so that objects that are the same compare so.
    val told = wanted.filterNot(w => format.wrapping == Wrapping.Either && w == (side == Side.Value))
    as.copy(options = as.options - SideFormat.wrapSingle ++ told.map(SideFormat.wrapSingle -> _.toString))
  }

  /** What the statement says of the side's wrapping; CONFLICTING_PROPERTIES where its two ways differ. */
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

  /** The session's key format; NO_KEY_FORMAT where it was set to nothing. */
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
