package io.kafkalyst.parse
package flink

import java.util.Locale

import io.kafkalyst.commands.{CreateObject, CreateOptions, Derived}
import io.kafkalyst.commands.show.FlinkStatement
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.avro.{AvroFormat, AvroNosrFormat}
import io.kafkalyst.formats.delimited.DelimitedFormat
import io.kafkalyst.formats.events.DebeziumAvroFormat
import io.kafkalyst.formats.raw.KafkaFormat
import io.kafkalyst.model._
import io.kafkalyst.model.flink.{FlinkOptions, FlinkProperties, FlinkText, KeptType, TableElement, TablePart}
import io.kafkalyst.parse.grammar.KafkalystParser._
import org.antlr.v4.runtime.ParserRuleContext
import org.apache.spark.sql.types._

import scala.jdk.CollectionConverters._

/** Flink's `CREATE TABLE … WITH ('connector' = 'kafka' | 'upsert-kafka', …)` as a Kafkalyst statement. */
private[parse] object FlinkTable {

  /** Like Flink, refuses a PRIMARY KEY without NOT ENFORCED: FLINK_CLAUSE with its position. */
  def checkEnforced(elements: Seq[ColumnElementContext]): Unit = elements.find { e =>
    if (e.tableKey != null) e.tableKey.ENFORCED == null else primary(e).exists(_.ENFORCED == null)
  }.foreach { element =>
    throw FlinkRefusals.refusal(
      element.getStart,
      "PRIMARY KEY without NOT ENFORCED",
      "Write NOT ENFORCED: nobody checks the keys of a topic's records."
    )
  }

  private def primary(element: ColumnElementContext): Option[KeyRoleContext] =
    Option(element.column).toSeq.flatMap(_.columnRole.asScala).collectFirst {
      case key: KeyRoleContext if key.PRIMARY != null => key
    }

  /**
   * Refuses unsupported clauses.
   *
   * @param options of a WITH clause that may lack Flink's connector
   * @throws io.kafkalyst.errors.KafkalystException FLINK_CLAUSE with the position and the alternative; FLINK_OPTION for
   *         Flink's options without a connector
   */
  def check(elements: Seq[ColumnElementContext], isFlink: Boolean, options: Seq[(String, String)] = Nil): Unit = {
    if (!isFlink && FlinkOptions.lackConnector(options.map(_._1))) throw KafkalystException(
      "FLINK_OPTION",
      "option" -> FlinkOptions.connector,
      "reason" -> "it is missing: 'kafka' or 'upsert-kafka'"
    )
    def refuse(element: ParserRuleContext, what: String, instead: String): Nothing =
      throw FlinkRefusals.refusal(element.getStart, what, instead)
    elements.find(_.tableKey != null).filter(_ => !isFlink).foreach {
      refuse(_, "PRIMARY KEY behind the columns", "Mark the key's columns: name TYPE PRIMARY KEY.")
    }
    if (isFlink) {
      checkEnforced(elements)
      // Behind a type, or behind the name of a constraint.
      elements.flatMap(e => Option(e.column)).flatMap(_.columnType.typeWord.asScala.drop(1))
        .find(_.getText.equalsIgnoreCase("UNIQUE")).foreach(word => throw FlinkRefusals.unique(word.getStart))
    }
    elements.filter(_.watermark != null).drop(1).foreach {
      refuse(_, "a second WATERMARK", "A table has one time attribute at most.")
    }
    elements.filter(e => e.tableKey != null || isFlink && primary(e).isDefined).drop(1).foreach {
      refuse(_, "a second PRIMARY KEY", "Name all of the key's columns in one: PRIMARY KEY (…) NOT ENFORCED.")
    }
    elements.map(_.watermark).filter(w => w != null && w.identifier.size > 1).foreach { w =>
      val field = w.identifier.asScala.map(_.getText).mkString(".")
      val column = w.identifier.asScala.last.getText
      refuse(w, s"WATERMARK of the field $field", s"Declare the column $column AS $field, and WATERMARK FOR $column.")
    }
  }

  /** FLINK_CLAUSE for a column without a type where no query defines the type. */
  def withoutType(column: ColumnNameContext): KafkalystException = FlinkRefusals.refusal(
    column.getStart,
    s"The column ${column.getText} without a type",
    "Write its type; only Flink's CREATE TABLE … AS takes mere names, those of its query's columns."
  )

  /** @param keys the columns in PRIMARY KEY, declared after the columns or at one of them */
  def create(
      parts: Seq[String],
      columns: Seq[TopicColumn],
      keys: Seq[String],
      properties: Seq[(String, String)],
      options: CreateOptions,
      types: Seq[String]
  ): CreateObject = {
    val marked = columns.filter(_.side == Side.Key).map(_.name)
    def refuse(option: String, reason: String): Nothing =
      throw KafkalystException("FLINK_OPTION", "option" -> option, "reason" -> reason)
    keys.diff(keys.distinct).headOption.foreach(key => refuse("PRIMARY KEY", s"$key is in it twice"))
    val flink = FlinkOptions.of(properties, (keys ++ marked).distinct)
    val physical = columns.filter(_.metadata.isEmpty).map(_.name)
    flink.keyFields.find(!physical.contains(_)).foreach { key =>
      refuse(
        if (flink.isTable) "PRIMARY KEY" else "key.fields",
        FlinkProperties.notPhysical(key, physical)
      )
    }
    val include = FlinkProperties.valueFieldsInclude.name
    flink.properties.filter(_._1.equalsIgnoreCase(FlinkProperties.partitionedBy.name))
      .flatMap(p => FlinkProperties.list(p._2)).find(!physical.contains(_)).foreach { column =>
        refuse("PARTITIONED BY", FlinkProperties.notPhysical(column, physical))
      }
    val isAll = flink.properties.exists { case (name, v) =>
      name.equalsIgnoreCase(include) && v.equalsIgnoreCase("ALL")
    }
    val inValue = physical.filterNot(c => flink.keyFields.contains(c) && !isAll)
    val areOther = inValue.size > 1 || inValue.isEmpty && flink.keyFields.isEmpty
    if (flink.properties.contains(Properties.valueFormat.name -> KafkaFormat.name) && areOther) {
      val found = if (inValue.isEmpty) "none" else inValue.mkString(", ")
      refuse("value.format", s"'raw' is one column, and the value has $found")
    }
    // Flink's raw format supports more types than Kafka's own serialisers.
    val raw = Seq(Side.Key -> flink.keyFields, Side.Value -> inValue).collect {
      case (side, names)
          if flink.properties.contains(Properties.formatOf(side).name -> KafkaFormat.name) &&
            columns.exists(c => names.contains(c.name) && KafkaFormat.isRaw(c.dataType)) =>
        s"${side.name.toUpperCase(Locale.ROOT)}_${SideFormat.byteOrder}" -> SideFormat.bigEndian
    }
    // The DELIMITED format holds each value in one field, so nested values need an array delimiter.
    val nested = Seq(Side.Key -> flink.keyFields, Side.Value -> inValue).collect {
      case (side, names)
          if flink.properties.contains(Properties.formatOf(side).name -> DelimitedFormat.name) &&
            columns.exists(c => names.contains(c.name) && isNested(c.dataType)) =>
        s"${side.name.toUpperCase(Locale.ROOT)}_${SideFormat.arrayDelimiter}" -> ";"
    }
    val decimals = Seq(Side.Key -> flink.keyFields, Side.Value -> inValue).collect {
      case (side, names)
          if flink.properties.exists { case (name, format) =>
            val types = columns.filter(c => names.contains(c.name)).map(_.dataType)
            name == Properties.formatOf(side).name && FlinkText.writeDecimals(format, types)
          } =>
        s"${side.name.toUpperCase(Locale.ROOT)}_${SideFormat.decimalForm}" -> SideFormat.scientific
    }
    val implied = (raw ++ nested ++ decimals).filterNot { case (property, _) =>
      flink.properties.exists(_._1.equalsIgnoreCase(property))
    }
    val avro = ofAvro(flink, columns, types, (keys ++ marked).distinct, inValue)
    val order = flink.keyFields.mkString(";")
    val isInOrder = physical.filter(flink.keyFields.contains).mkString(";") == order
    CreateObject(
      if (flink.isTable) ObjectKind.Table else ObjectKind.Stream,
      parts,
      columns.map(c => if (flink.keyFields.contains(c.name)) c.copy(side = Side.Key) else c.copy(side = Side.Value)),
      flink.properties ++ implied ++ avro ++ (if (isInOrder) Nil else Seq(FlinkProperties.keyFields.name -> order)),
      options.copy(isFlink = true, brokers = flink.brokers, registries = flink.registries)
    )
  }

  /**
   * The properties that the types imply for derived AVRO schemas: time units and required fields.
   *
   * @param types   the columns' types as written
   * @param keys    the columns of PRIMARY KEY, which are never NULL
   * @param inValue the names of the value's columns
   */
  private def ofAvro(
      flink: FlinkOptions,
      columns: Seq[TopicColumn],
      types: Seq[String],
      keys: Seq[String],
      inValue: Seq[String]
  ): Seq[(String, String)] = {
    def given(property: String) =
      flink.properties.collectFirst { case (name, v) if name.equalsIgnoreCase(property) => v }
    val prefix = given(FlinkProperties.keyFieldsPrefix.name).getOrElse("")
    val ofEvents = given(Properties.valueFormat.name).contains(DebeziumAvroFormat.name)
    Side.all.filter(side =>
      given(Properties.formatOf(side).name).exists(Set(AvroFormat.name, AvroNosrFormat.name, DebeziumAvroFormat.name))
    ).flatMap { side =>
      val mine = if (side == Side.Key) flink.keyFields else inValue
      val own = columns.zip(types).filter(c => mine.contains(c._1.name))
      val required = own.filter { case (c, text) => keys.contains(c.name) || FlinkTypes.isNotNull(text) }.map(_._1.name)
        .map(name => if (side == Side.Key) name.stripPrefix(prefix) else name)
      val times = own.filter(c => hasTimestamp(c._1.dataType)).map(_._2)
      Seq(
        SideFormat.timestampUnit -> (if (times.isEmpty) "" else FlinkTypes.timestampUnit(times)),
        SideFormat.requiredFields -> (if (ofEvents) "" else required.mkString(";"))
      ).map { case (option, value) => s"${side.name.toUpperCase(Locale.ROOT)}_$option" -> value }
    }.filter { case (property, value) => value.nonEmpty && given(property).isEmpty }
  }

  /** Whether the declared type contains more than Spark's text of the type. */
  private def saysMore(d: DeclaredColumn) =
    d.written.replaceAll("\\s", "").toUpperCase(Locale.ROOT) != d.sql.replaceAll("\\s", "")

  private def isNested(t: DataType): Boolean = t match {
    case _: ArrayType | _: StructType => true
    case _ => false
  }

  private def hasTimestamp(t: DataType): Boolean = t match {
    case TimestampType | TimestampNTZType => true
    case a: ArrayType => hasTimestamp(a.elementType)
    case m: MapType => hasTimestamp(m.valueType)
    case s: StructType => s.exists(f => hasTimestamp(f.dataType))
    case _ => false
  }

  /**
   * The table's elements, as LIKE merges them with those of another table.
   *
   * @param name   of a column
   * @param source the text of an element
   */
  def elements(
      given: Seq[ColumnElementContext],
      name: IdentifierContext => String,
      source: ParserRuleContext => String
  ): Seq[TableElement] = given.map { e =>
    val (part, of) =
      if (e.tableKey != null) TablePart.Constraints -> ""
      else if (e.watermark != null) TablePart.Watermarks -> ""
      else if (e.computedColumn != null) TablePart.Generated -> name(e.computedColumn.identifier)
      else {
        val isMetadata = e.column.columnRole.asScala.exists(_.isInstanceOf[MetadataRoleContext])
        (if (isMetadata) TablePart.Metadata else TablePart.Column) -> name(e.column.identifier)
      }
    TableElement(part, of, source(e))
  }

  /** PARTITIONED BY as an option. */
  def partitions(ctx: PartitionedContext, name: IdentifierContext => String): Seq[(String, String)] =
    Option(ctx).toSeq.map(p =>
      FlinkProperties.partitionedBy.name.toLowerCase(Locale.ROOT) -> p.identifier.asScala.map(name).mkString(";")
    )

  def keyNames(elements: Seq[ColumnElementContext]): Seq[IdentifierContext] =
    elements.flatMap(e => Option(e.tableKey)).flatMap { key =>
      // The first name is the constraint's own, if it has one.
      key.identifier.asScala.drop(if (key.CONSTRAINT == null) 0 else 1)
    }

  /**
   * The computed columns, the watermark, and what columns declare beyond their Spark types.
   *
   * @param name   of a column
   * @param typed  the columns by name
   * @param source the text of an expression or type
   */
  def derived(
      elements: Seq[ColumnElementContext],
      isFlink: Boolean,
      name: IdentifierContext => String,
      typed: Seq[TopicColumn],
      source: ParserRuleContext => String
  ): Derived = {
    val columns = elements.filter(e => e.column != null || e.computedColumn != null)
    val computed = columns.zipWithIndex.collect {
      case (element, place) if element.computedColumn != null =>
        val given = source(element.computedColumn.expression)
        val written = if (isFlink) FlinkExpressions.withoutRaw(given) else given
        val sql = if (isFlink) FlinkExpressions.spelled(written) else written
        ComputedColumn(name(element.computedColumn.identifier), written, sql, place)
    }
    val watermark = elements.map(_.watermark).find(_ != null).map { w =>
      Watermark(name(w.identifier(0)), source(w.expression))
    }
    val written = declared(elements.flatMap(e => Option(e.column)), isFlink, name, typed, source)
    val remarks = elements.flatMap(e => Option(e.computedColumn)).filter(_.STRING != null).map { c =>
      DeclaredColumn(name(c.identifier), "", "", Names.string(c.STRING.getSymbol))
    }
    Derived(computed, watermark, written ++ remarks)
  }

  /**
   * What columns declare beyond their Spark types: the written type, NOT NULL and comments.
   *
   * @param typed the columns with their types
   */
  def declared(
      columns: Seq[ColumnContext],
      isFlink: Boolean,
      name: IdentifierContext => String,
      typed: Seq[TopicColumn],
      source: ParserRuleContext => String
  ): Seq[DeclaredColumn] = columns.flatMap { c =>
    val given = source(c.columnType)
    val comment = Option(c.STRING).fold("")(s => Names.string(s.getSymbol))
    typed.find(_.name == name(c.identifier)).flatMap { t =>
      if (isFlink) {
        val kept = DeclaredColumn(t.name, given, KeptType.sqlOf(t.dataType), comment)
        if (comment.nonEmpty || saysMore(kept)) Some(kept) else None
      } else FlinkStatement.declared(t.name, t.dataType, FlinkTypes.isNotNull(given), comment)
    }
  }
}
