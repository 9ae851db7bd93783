package io.kafkalyst.catalog
package define

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.Formats
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings

/** Formats that a query's sink inherits from the leftmost source unless the statement sets them. */
object SinkFormats {

  /**
   * The statement's properties with the inherited formats.
   *
   * @param keyless whether PARTITION BY NULL removes the key
   * @throws io.kafkalyst.errors.KafkalystException KEY_FORMAT_WITHOUT_KEY for a key format if the result has no key
   */
  def of(
      given: Map[String, String],
      source: TopicObject,
      columns: Seq[TopicColumn],
      keyless: Boolean,
      settings: Settings
  ): Map[String, String] = {
    val hasKey = columns.exists(_.side == Side.Key)
    val asked = SideFormats.asked(Side.Key, given)
    if (!hasKey && keyless) {
      asked.filter(_ != SideFormat.none).foreach { format =>
        throw KafkalystException("KEY_FORMAT_WITHOUT_KEY", "format" -> format)
      }
    }
    val key =
      if (!hasKey) SideFormat.none
      else if (source.key.format == SideFormat.none && asked.isEmpty) SideFormats.keyDefault(settings)
      else source.key.format
    val value = Formats.events(source.value.format).fold(source.value.format)(_.rowFormat.name)
    val both = given.get(Properties.format.name)
    // A result without a key gets KEY_FORMAT NONE, so derived streams inherit no key format.
    val said = both.filter(_ => !hasKey).fold(given)(format =>
      given - Properties.format.name ++ Map(Properties.keyFormat.name -> key, Properties.valueFormat.name -> format)
    )
    val formats =
      if (said.contains(Properties.format.name)) Map.empty[String, String]
      else Map(Properties.keyFormat.name -> key, Properties.valueFormat.name -> value) ++ said
    Side.all.flatMap { side =>
      val same = SideFormats.asked(side, formats ++ said).contains(source.format(side).format)
      Formats(source.format(side).format).inherited.filter(_ => same).flatMap { option =>
        val property =
          if (option == SideFormat.schemaFullName) Some(RegistryProperties.fullName(side).name)
          else Properties.sideOptions.collectFirst { case (`side`, `option`, p) => p.name }
        property.zip(source.format(side).options.get(option))
      }
    }.toMap ++ formats ++ said
  }
}
