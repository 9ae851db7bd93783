package io.kafkalyst.commands
package show

import io.kafkalyst.catalog.ObjectProperties
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.{Headers, MetadataKeys, PseudoColumns}
import io.kafkalyst.model._
import io.kafkalyst.model.flink.{FlinkOptions, FlinkProperties, FlinkText, KeptType, TableElement, TablePart}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.types._

/** An object, or parts of it, as Flink's CREATE TABLE. */
object FlinkStatement {
  import DialectText._

  private val types: Map[DataType, String] = KsqldbStatement.types ++
    Map(TimestampType -> "TIMESTAMP_LTZ(6)", TimestampNTZType -> "TIMESTAMP(6)", StructType(Nil) -> "ROW")

  private val milliTypes: Map[DataType, String] =
    Map(TimestampType -> "TIMESTAMP_LTZ(3)", TimestampNTZType -> "TIMESTAMP(3)")

  /** The object as a Flink statement. */
  def of(name: String, o: TopicObject, brokers: String, comment: Option[String] = None): String = {
    val (elements, options) = parts(name, o, brokers)
    val headers =
      o.columns.filter(_.metadata.exists(_.key.startsWith(MetadataKeys.headerPrefix))) ++
        o.columns.filter(c => c.metadata.exists(_.key == MetadataKeys.headers.name) && c.dataType == Headers.arrayType)
    val beyond = (headers ++ o.columns.filter(PseudoColumns.isRescued)).map(c => s"METADATA column ${c.name}") ++
      (if (isSource(o)) Seq("SOURCE, which makes it read-only") else Nil) ++
      options.map(_._1).filterNot(name =>
        FlinkOptions.isTheirs(name) || name.equalsIgnoreCase(FlinkProperties.partitionedBy.name)
      )
    comments("Flink", beyond, ids(o)) +
      write(s"CREATE TABLE ${quoteIdentifier(name)}", elements, options, comment)
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
      val written = if (isRequired) s"${typeOf(dataType)} NOT NULL" else ""
      Some(DeclaredColumn(name, written, KeptType.sqlOf(dataType), comment))
    }

  /** A type in Flink's syntax. */
  private[commands] def typeOf(dataType: DataType): String = typeName(dataType, types)

  /** A Flink statement. */
  private[commands] def write(
      head: String,
      elements: Seq[TableElement],
      options: Seq[(String, String)],
      comment: Option[String] = None
  ): String = {
    // PARTITIONED BY is a clause in Flink, and an option here.
    val (partitions, rest) = options.partition(_._1.equalsIgnoreCase(FlinkProperties.partitionedBy.name))
    val columns = partitions.flatMap(p => FlinkProperties.list(p._2)).map(quoteIdentifier)
    val by = if (columns.isEmpty) "" else s" PARTITIONED BY (${columns.mkString(", ")})"
    statement(head, elements.map(_.sql), rest.map { case (k, v) => s"${flinkText(k)} = ${flinkText(v)}" }, comment, by)
  }

  /**
   * The elements and options of Flink's CREATE TABLE.
   *
   * @throws io.kafkalyst.errors.KafkalystException NOT_IN_DIALECT for a key that Flink does not support
   */
  private[commands] def parts(
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
    o.columns.groupBy(_.name).collectFirst { case (shared, of) if of.size > 1 => shared }.foreach { shared =>
      throw KafkalystException(
        "NOT_IN_DIALECT",
        "name" -> name,
        "dialect" -> "Flink",
        "what" -> s"the name $shared for a column of the key and one of the value"
      )
    }
    val millis = Side.all.exists(s => o.format(s).options.get(SideFormat.timestampUnit).contains(SideFormat.millis))
    val names = if (millis) types ++ milliTypes else types
    def typed(c: TopicColumn) = o.written(c).map(_.written).filter(_.nonEmpty)
    val columns = lines(o, _.written, c => typed(c).getOrElse(typeName(c.dataType, names))) { c =>
      c.metadata.fold(if (isRequired(o, c) && typed(c).isEmpty) " NOT NULL" else "") { m =>
        " METADATA" + (if (m.key == c.name) "" else s" FROM ${flinkText(m.key)}") + (if (m.virtual) " VIRTUAL" else "")
      } + o.written(c).map(_.comment).filter(_.nonEmpty).fold("")(comment => s" COMMENT ${flinkText(comment)}")
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
}
