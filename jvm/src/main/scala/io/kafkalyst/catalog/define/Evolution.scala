package io.kafkalyst.catalog
package define

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.{Formats, Wrapping}
import io.kafkalyst.metadata.RowTime
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.registry.{RegistryAdmin, Subjects}

/** Changes of an existing object's columns: new ones at the end, or those of the registry's latest schema. */
private[kafkalyst] object Evolution {

  /**
   * The object with more value columns at its end, not yet registered.
   *
   * @throws io.kafkalyst.errors.KafkalystException COLUMN_EXISTS, NOT_ALTERABLE for an unwrapped value, or the format's
   *         errors about the columns
   */
  def withColumns(name: ObjectName, o: TopicObject, added: Seq[TopicColumn]): TopicObject = {
    ObjectDefinition.systemNames(added)
    val twice = added.filter(c => o.columns.exists(_.name == c.name) || added.count(_.name == c.name) > 1)
    if (twice.nonEmpty) {
      throw KafkalystException(
        "COLUMN_EXISTS",
        "name" -> name.toString,
        "columns" -> twice.map(_.name).distinct.mkString(", "),
        "all" -> o.columns.map(_.name).mkString(", ")
      )
    }
    val metadata = o.columns.flatMap(c => c.metadata.map(_.key -> c.name)).toMap
    added.flatMap(_.metadata).find(m => metadata.contains(m.key)).foreach { again =>
      throw KafkalystException(
        "NOT_ALTERABLE",
        "name" -> name.toString,
        "statement" -> "ALTER … ADD COLUMN",
        "reason" -> s"its column ${metadata(again.key)} is METADATA FROM '${again.key}' already",
        "hint" -> "Use that column."
      )
    }
    val format = Formats(o.value.format)
    if (ValueTypes.has(o.value)) {
      throw KafkalystException(
        "NOT_ALTERABLE",
        "name" -> name.toString,
        "statement" -> "ALTER … ADD COLUMN",
        "reason" -> "it has one column for each of its VALUE_TYPES",
        "hint" -> "Give a type's schema new fields and say ALTER … REFRESH SCHEMA, or CREATE OR REPLACE with more types."
      )
    }
    val bare = o.columns(Side.Value).size == 1 && format.wrapping == Wrapping.Either &&
      o.value.options.get(SideFormat.wrapSingle).exists(_.equalsIgnoreCase("false"))
    if (bare) {
      throw KafkalystException(
        "NOT_ALTERABLE",
        "name" -> name.toString,
        "statement" -> "ALTER … ADD COLUMN",
        "reason" -> "its value is one bare column, which has no place for another",
        "hint" -> "Create another object, over a topic whose values are records."
      )
    }
    val value = o.value.copy(options = o.value.options - SideFormat.wrapSingle)
    val changed = o.copy(columns = o.columns ++ EventColumns.checked(added, o.value), value = value)
    format.validate(Side.Value, changed.columns(Side.Value), value)
    ObjectDefinition.schemaEvolution(changed)
    changed
  }

  /**
   * The object with a value schema that includes the added columns, registered as the subject's next version if
   * necessary. The existing schema is extended by nullable fields and otherwise unchanged.
   *
   * @param o     the object with the added columns
   * @throws io.kafkalyst.errors.KafkalystException SCHEMA_NOT_EXTENDABLE, SCHEMA_NOT_REGISTERED under
   *         AUTO_REGISTER=false, SCHEMA_REFUSED if the registry rejects it
   */
  def extended(o: TopicObject, added: Seq[TopicColumn], registry: () => RegistryAdmin): TopicObject = {
    val (side, as, format) = (Side.Value, o.value, Formats(o.value.format))
    val columns = added.filter(_.isIn(side))
    if (columns.isEmpty || format.schemaType.isEmpty) return o
    def derived(of: Seq[TopicColumn]) = SideSchemas.schemaOf(o, side, of)
    val client = registry()
    val mine = as.schemaId.flatMap(client.byId)
    val named = mine.getOrElse(derived(o.columns(side)))
    val subject = Subjects.of(side, o.topic, as, Subjects.recordName(named.schemaType, named.schema))
    client.latest(subject).orElse(mine).fold(o) { known =>
      SideSchemas.sameKind(side, format, subject, known)
      val there = format.columnsOf(known, side, as)
      lazy val likeConnect = format.columnsOf(known, side, Inference.asked(as, TopicSource.settings()))
      def refuse(reason: String) = throw KafkalystException(
        "SCHEMA_NOT_EXTENDABLE",
        "format" -> format.name,
        "subject" -> subject,
        "id" -> known.id.toString,
        "columns" -> columns.map(_.name).mkString(", "),
        "reason" -> reason,
        "kind" -> o.kind.name,
        "name" -> o.topic
      )
      columns.foreach { c =>
        def fits(field: TopicColumn) =
          field.dataType == c.dataType || likeConnect.exists(f => f.name == c.name && f.dataType == c.dataType)
        there.find(_.name == c.name).filterNot(fits).foreach { field =>
          refuse(s"it has a field ${c.name} already, of type ${field.dataType.sql} and not ${c.dataType.sql}")
        }
      }
      val missing = columns.filterNot(c => there.exists(_.name == c.name))
      val id =
        if (missing.isEmpty) known.id
        else {
          val before = derived(o.columns(side).filterNot(missing.contains))
          // The fields of a foreign schema may be numbered differently, so only Kafkalyst's own schemas are derived
          // again.
          def anew = if (client.lookUp(subject, before).exists(_.id == known.id)) Some(derived(o.columns(side)).schema)
          else None
          val whole = SideSchemas.toDerive(as, Some(known))
          val text = format.extended(known, missing, side, whole).orElse(anew).getOrElse {
            refuse("it was not made from the columns of this object, and only AVRO schemas of others can be extended")
          }
          if (as.options.get(SideFormat.autoRegister).exists(_.equalsIgnoreCase("false"))) {
            throw KafkalystException(
              "SCHEMA_NOT_REGISTERED",
              "subject" -> subject,
              "side" -> side.name,
              "topic" -> o.topic,
              "found" -> s"its latest version ${known.version} (schema id ${known.id}) lacks ${missing.map(_.name).mkString(", ")}",
              "schema" -> text
            )
          }
          client.register(subject, known.copy(schema = text))
        }
      o.copy(value = as.copy(schemaId = Some(id), options = as.options - SideFormat.givenId))
    }
  }

  /**
   * The object with the columns of its value's latest schema: existing columns keep their positions, new columns come
   * at the end, and columns that the schema lacks are removed.
   *
   * @throws io.kafkalyst.errors.KafkalystException NOT_ALTERABLE for a format without registry schemas, for a schema
   *         given by id, or if a field has the name of a METADATA column; SUBJECT_NOT_FOUND; TIMESTAMP_COLUMN if that
   *         column is removed
   */
  def refreshed(
      name: ObjectName,
      o: TopicObject,
      settings: Settings,
      registry: () => RegistryAdmin
  ): TopicObject = {
    val format = Formats(o.value.format)
    def refuse(reason: String, hint: String) = throw KafkalystException(
      "NOT_ALTERABLE",
      "name" -> name.toString,
      "statement" -> "ALTER … REFRESH SCHEMA",
      "reason" -> reason,
      "hint" -> hint
    )
    if (format.schemaType.isEmpty)
      refuse(s"its value format is ${format.name}, which has no schemas in a registry", "Say ALTER … ADD COLUMN.")
    o.value.options.get(SideFormat.givenId).foreach { id =>
      refuse(
        s"VALUE_SCHEMA_ID=$id says which schema it has",
        s"Say CREATE OR REPLACE ${o.kind} with another VALUE_SCHEMA_ID, or without it."
      )
    }
    val (found, value) =
      if (ValueTypes.has(o.value)) ValueTypes.again(o.topic, format, o.value, registry()).swap
      else {
        val (columns, id) =
          SideSchemas.found(o.topic, Side.Value, format, Inference.asked(o.value, settings), registry())
        Inference.named(columns, o.value, settings) -> o.value.copy(schemaId = Some(id))
      }
    val latest =
      found.filterNot(c => o.columns.exists(k => k.isIn(Side.Key) && o.isIn(k, Side.Value) && k.name == c.name))
    for (c <- latest; taken <- o.columns.find(m => m.metadata.isDefined && m.name.equalsIgnoreCase(c.name))) refuse(
      s"the latest schema has a field ${c.name}, and its column ${taken.name} is METADATA FROM '${taken.metadata.get.key}'",
      s"Drop the object and create it with another name for that column."
    )
    val kept = o.columns.flatMap { c =>
      if (c.isIn(Side.Value)) latest.find(_.name == c.name) else Some(c)
    }
    val changed = o.copy(
      columns = kept ++ latest.filterNot(kept.contains),
      value = value
    )
    RowTime.of(changed)
    changed
  }
}
