package io.kafkalyst.commands
package show

import java.util.Locale

import io.kafkalyst.catalog.{ObjectProperties, ObjectStore}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.Formats
import io.kafkalyst.metadata.{Headers, MetadataKeys, PseudoColumns, WindowedKey}
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.model.flink.{FlinkOptions, FlinkProperties, FlinkText, KeptType, TableElement, TablePart}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types._

/**
 * SHOW CREATE STREAM|TABLE name AS KSQLDB|FLINK: the statement that recreates the object in that dialect. Kafkalyst's
 * own properties are in a comment before it.
 */
final case class ShowCreate(parts: Seq[String], dialect: String) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("createtab_stmt" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    val found = Commands.find(store, parts)
    dialect.toUpperCase(Locale.ROOT) match {
      case "KSQLDB" => Seq(Row(ShowCreate.ksqldb(found.name.table, found.topic, found.comment)))
      case "FLINK" =>
        val brokers = store.settings(found.name)(Settings.bootstrapServers)
        Seq(Row(ShowCreate.flink(found.name.table, found.topic, brokers, found.comment)))
      case _ => throw KafkalystException("UNKNOWN_DIALECT", "dialect" -> dialect)
    }
  }
}

object ShowCreate {
  private val ksqlTypes: Map[DataType, String] =
    Map(StringType -> "STRING", BinaryType -> "BYTES", IntegerType -> "INT")
  private val flinkTypes: Map[DataType, String] = ksqlTypes ++
    Map(TimestampType -> "TIMESTAMP_LTZ(6)", TimestampNTZType -> "TIMESTAMP(6)", StructType(Nil) -> "ROW")

  private val flinkMillis: Map[DataType, String] =
    Map(TimestampType -> "TIMESTAMP_LTZ(3)", TimestampNTZType -> "TIMESTAMP(3)")

  private def isRequired(o: TopicObject, c: TopicColumn) = Side.all.exists { side =>
    o.isIn(c, side) && o.format(side).options.get(SideFormat.requiredFields)
      .exists(FlinkProperties.list(_).contains(o.named(c, side).name))
  }

  /**
   * The object as a ksqlDB statement.
   *
   * @param in the catalog, if the statement names it
   * @throws io.kafkalyst.errors.KafkalystException NOT_IN_DIALECT for a value that contains the key's columns among the
   *         others, in a format without field names
   */
  def ksqldb(name: String, o: TopicObject, comment: Option[String] = None, in: Option[String] = None): String = {
    val keysFirst = o.columns.filter(_.isIn(Side.Key)) ++ o.columns.filterNot(_.isIn(Side.Key))
    val isMoved = keysFirst != o.columns
    if (isMoved && !Formats(o.value.format).namesFields && o.columns(Side.Value).exists(_.isIn(Side.Key))) {
      throw KafkalystException(
        "NOT_IN_DIALECT",
        "name" -> name,
        "dialect" -> "ksqlDB",
        "what" -> s"a ${o.value.format} value with the key's columns among its fields"
      )
    }
    val word = if (o.kind == ObjectKind.Table) "PRIMARY KEY" else "KEY"
    val columns = lines(o, _.sql, c => typeName(c.dataType, ksqlTypes)) { c =>
      c.metadata match {
        case Some(MetadataColumn(MetadataKeys.headers.name, true)) if c.dataType == Headers.arrayType => " HEADERS"
        case Some(MetadataColumn(key, true)) if key.startsWith(MetadataKeys.headerPrefix) && c.dataType == BinaryType =>
          s" HEADER(${text(key.stripPrefix(MetadataKeys.headerPrefix))})"
        case Some(m) => s" METADATA FROM ${text(m.key)}" + (if (m.virtual) " VIRTUAL" else "")
        case None => if (c.side == Side.Key) s" $word" else ""
      }
    }
    val properties = Seq(Properties.topic.name -> o.topic) ++
      (if (o.columns(Side.Key).isEmpty && o.key.format == SideFormat.bytes) Nil
       else Seq(Properties.keyFormat.name -> o.key.format)) ++
      Seq(Properties.valueFormat.name -> o.value.format) ++ ObjectProperties.of(o).filterNot(isKsqlsDefault)
    val beyond = o.columns.filter(c => c.metadata.exists(m => !isKsql(c, m)) && !WindowedKey.isBound(c))
      .map(c => s"METADATA column ${c.name}") ++
      o.computed.map(c => s"computed column ${c.name}") ++ o.watermark.map(_ => "WATERMARK") ++
      o.columns.filter(c => o.isRequired(c) || isRequired(o, c)).map(c => s"NOT NULL of ${c.name}") ++
      o.columns.filter(o.written(_).exists(_.comment.nonEmpty)).map(c => s"COMMENT of ${c.name}") ++
      comment.map(_ => "COMMENT") ++ properties.map(_._1).filterNot(ofKsql)
    val source = if (isSource(o)) "SOURCE " else ""
    val moved = if (isMoved) Seq("ksqlDB has the key's columns first") else Nil
    val head = s"CREATE $source${o.kind} ${(in.toSeq :+ name).map(quoteIdentifier).mkString(".")}"
    comments("ksqlDB", beyond, ids(o) ++ moved) + statement(
      head,
      columns.map(_.sql),
      properties.map { case (k, v) =>
        s"${if (k.forall(c => c.isLetter || c == '_')) k else text(k)} = ${text(v)}"
      }
    )
  }

  private def isKsql(c: TopicColumn, m: MetadataColumn) = m.virtual &&
    (m.key.startsWith(MetadataKeys.headerPrefix) && c.dataType == BinaryType ||
      m.key == MetadataKeys.headers.name && c.dataType == Headers.arrayType)

  private val ksqlOnly = Set(
    Properties.topic,
    Properties.keyFormat,
    Properties.valueFormat,
    Properties.wrapValue,
    Properties.timestamp,
    Properties.timestampFormat,
    Properties.windowType,
    Properties.windowSize
  ).map(_.name) ++ Side.all.flatMap { side =>
    Seq(RegistryProperties.schemaId(side), RegistryProperties.fullName(side)).map(_.name) ++
      Seq(SideFormat.delimiter, SideFormat.nullableRepresentation).map(o => s"${side.name.toUpperCase(Locale.ROOT)}_$o")
  }

  private def isKsqlsDefault(property: (String, String)) =
    property._1.endsWith(SideFormat.emptyIsNull) && property._2.equalsIgnoreCase(SideFormat.always)

  private def ofKsql(property: String) = ksqlOnly(property)

  /** The object as a Flink statement. */
  def flink(name: String, o: TopicObject, brokers: String, comment: Option[String] = None): String = {
    val (elements, options) = inFlink(name, o, brokers)
    val headers =
      o.columns.filter(_.metadata.exists(_.key.startsWith(MetadataKeys.headerPrefix))) ++
        o.columns.filter(c => c.metadata.exists(_.key == MetadataKeys.headers.name) && c.dataType == Headers.arrayType)
    val beyond = (headers ++ o.columns.filter(PseudoColumns.isRescued)).map(c => s"METADATA column ${c.name}") ++
      (if (isSource(o)) Seq("SOURCE, which makes it read-only") else Nil) ++
      options.map(_._1).filterNot(name =>
        FlinkOptions.isTheirs(name) || name.equalsIgnoreCase(FlinkProperties.partitionedBy.name)
      )
    comments("Flink", beyond, ids(o)) +
      flinkStatement(s"CREATE TABLE ${quoteIdentifier(name)}", elements, options, comment)
  }

  /** What a column declares beyond its Spark type; None if it declares nothing more. */
  private[kafkalyst] def declared(
      name: String,
      dataType: DataType,
      isRequired: Boolean,
      comment: String
  ): Option[DeclaredColumn] =
    if (!isRequired && comment.isEmpty) None
    else {
      val written = if (isRequired) s"${flinkType(dataType)} NOT NULL" else ""
      Some(DeclaredColumn(name, written, KeptType.sqlOf(dataType), comment))
    }

  /** A type in Flink's syntax. */
  private[commands] def flinkType(dataType: DataType): String = typeName(dataType, flinkTypes)

  /** A Flink statement. */
  private[commands] def flinkStatement(
      head: String,
      elements: Seq[TableElement],
      options: Seq[(String, String)],
      comment: Option[String] = None
  ): String = {
    // PARTITIONED BY is a clause in Flink, and an option here.
    val (partitions, rest) = options.partition(_._1.equalsIgnoreCase(FlinkProperties.partitionedBy.name))
    val columns = partitions.flatMap(p => FlinkProperties.list(p._2)).map(quoteIdentifier)
    val by = if (columns.isEmpty) "" else s" PARTITIONED BY (${columns.mkString(", ")})"
    statement(head, elements.map(_.sql), rest.map { case (k, v) => s"${text(k)} = ${text(v)}" }, comment, by)
  }

  /**
   * The elements and options of Flink's CREATE TABLE.
   *
   * @throws io.kafkalyst.errors.KafkalystException NOT_IN_DIALECT for a key that Flink does not support
   */
  private[commands] def inFlink(
      name: String,
      o: TopicObject,
      brokers: String
  ): (Seq[TableElement], Seq[(String, String)]) = {
    val isTable = o.kind == ObjectKind.Table
    val keys = o.inOrder(Side.Key, o.columns.filter(_.isIn(Side.Key)))(identity).map(_.name)
    if (isGiven(o.key)) throw KafkalystException(
      "NOT_IN_DIALECT",
      "name" -> name,
      "dialect" -> "Flink",
      "what" -> "a key whose columns are those of a schema id"
    )
    val millis = Side.all.exists(s => o.format(s).options.get(SideFormat.timestampUnit).contains(SideFormat.millis))
    val names = if (millis) flinkTypes ++ flinkMillis else flinkTypes
    def typed(c: TopicColumn) = o.written(c).map(_.written).filter(_.nonEmpty)
    val columns = lines(o, _.written, c => typed(c).getOrElse(typeName(c.dataType, names))) { c =>
      c.metadata.fold(if (isRequired(o, c) && typed(c).isEmpty) " NOT NULL" else "") { m =>
        " METADATA" + (if (m.key == c.name) "" else s" FROM ${text(m.key)}") + (if (m.virtual) " VIRTUAL" else "")
      } + o.written(c).map(_.comment).filter(_.nonEmpty).fold("")(comment => s" COMMENT ${text(comment)}")
    } ++ (if (isTable) Seq(TableElement(
            TablePart.Constraints,
            "",
            s"PRIMARY KEY (${keys.map(quoteIdentifier).mkString(", ")}) NOT ENFORCED"
          ))
          else Nil)
    def format(side: Side) = FlinkOptions.formatName(o.format(side).format)
    if (keys.nonEmpty && !isTable && o.key.format == SideFormat.none) throw KafkalystException(
      "NOT_IN_DIALECT",
      "name" -> name,
      "dialect" -> "Flink",
      "what" -> "a stream's key that is read from the value"
    )
    val said = ObjectProperties.of(o).filterNot { case (k, _) =>
      Seq(FlinkProperties.keyFields, FlinkProperties.topicPattern).exists(_.name == k)
    }
    def isSaid(p: Property) = said.exists(_._1 == p.name)
    val topic = o.pattern.fold("topic" -> o.topic)("topic-pattern" -> _)
    val hasFormat = keys.nonEmpty && o.key.format != SideFormat.none
    val isUpsert = isTable && !o.value.isEvent
    val options = Seq(
      "connector" -> (if (isUpsert) "upsert-kafka" else "kafka"),
      topic,
      "properties.bootstrap.servers" -> brokers
    ) ++ (if (!hasFormat) Nil else Seq("key.format" -> format(Side.Key))) ++
      (if (!hasFormat || isUpsert) Nil else Seq("key.fields" -> keys.mkString(";"))) ++
      Seq("value.format" -> format(Side.Value)) ++
      (if (keys.isEmpty || isSaid(FlinkProperties.valueFieldsInclude)) Nil
       else Seq("value.fields-include" -> "EXCEPT_KEY")) ++
      said.flatMap { case (k, v) => FlinkText.option(o, k, v) } ++ FlinkText.unlike(o)
    (columns, options)
  }

  private def isSource(o: TopicObject) = o.options.contains(TopicObject.readOnly)

  /** The declared columns, without those that a named schema defines, and without window bounds. */
  private def lines(o: TopicObject, computed: ComputedColumn => String, typed: TopicColumn => String)(
      role: TopicColumn => String
  ): Seq[TableElement] = {
    def isFound(c: TopicColumn) = Side.all.exists(s => c.isIn(s) && isGiven(o.format(s)))
    val declared = o.columns.map { c =>
      if (isFound(c) || WindowedKey.isBound(c)) None
      else Some(TableElement(
        if (c.metadata.isDefined) TablePart.Metadata else TablePart.Column,
        c.name,
        s"${quoteIdentifier(c.name)} ${typed(c)}${role(c)}"
      ))
    }
    val all = o.computed.foldLeft(declared) { (columns, c) =>
      val sql = s"${quoteIdentifier(c.name)} AS ${computed(c)}" +
        Some(o.comment(c)).filter(_.nonEmpty).fold("")(comment => s" COMMENT ${text(comment)}")
      columns.patch(c.place, Seq(Some(TableElement(TablePart.Generated, c.name, sql))), 0)
    }
    all.flatten ++ o.watermark.map { w =>
      TableElement(TablePart.Watermarks, "", s"WATERMARK FOR ${quoteIdentifier(w.column)} AS ${w.sql}")
    }
  }

  /** Whether the side's columns come from a schema that the statement named. */
  private def isGiven(as: SideFormat) = as.options.contains(SideFormat.givenId) || as.options.contains(SideFormat.types)

  private def ids(o: TopicObject): Seq[String] = Side.all.flatMap { side =>
    o.format(side).schemaId.filterNot(_ => isGiven(o.format(side))).map(id => s"the $side has the schema id $id")
  }

  private def comments(language: String, beyond: Seq[String], more: Seq[String]): String =
    ((if (beyond.isEmpty) Nil else Seq(s"beyond $language: ${beyond.distinct.mkString(", ")}")) ++ more)
      .map(line => s"-- ${line.replaceAll("[\r\n]", " ")}\n").mkString

  private def statement(
      head: String,
      columns: Seq[String],
      properties: Seq[String],
      comment: Option[String] = None,
      partitions: String = ""
  ): String = {
    def list(items: Seq[String]) = items.mkString("(\n  ", ",\n  ", "\n)")
    val said = comment.fold("")(c => s" COMMENT ${text(c)}")
    head + (if (columns.isEmpty) "" else " " + list(columns)) + said + partitions + " WITH " + list(properties)
  }

  private def text(value: String) = s"'${value.replace("'", "''")}'"

  /** A type's name in a dialect; Spark's name if the dialect has no other. */
  private def typeName(dataType: DataType, names: Map[DataType, String]): String = dataType match {
    case a: ArrayType => s"ARRAY<${typeName(a.elementType, names)}>"
    case m: MapType => s"MAP<${typeName(m.keyType, names)}, ${typeName(m.valueType, names)}>"
    case s: StructType =>
      s.fields.map(f => s"${quoteIdentifier(f.name)} ${typeName(f.dataType, names)}")
        .mkString(s"${names.getOrElse(StructType(Nil), "STRUCT")}<", ", ", ">")
    case other => names.getOrElse(other, other.sql)
  }
}
