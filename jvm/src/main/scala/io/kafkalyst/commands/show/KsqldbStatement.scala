package io.kafkalyst.commands
package show

import java.util.Locale

import io.kafkalyst.catalog.ObjectProperties
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.Formats
import io.kafkalyst.metadata.{Headers, MetadataKeys, WindowedKey}
import io.kafkalyst.model._
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.types._

/** An object as ksqlDB's CREATE STREAM or TABLE. */
object KsqldbStatement {
  import DialectText._

  private[show] val types: Map[DataType, String] =
    Map(StringType -> "STRING", BinaryType -> "BYTES", IntegerType -> "INT")

  /**
   * The object as a ksqlDB statement.
   *
   * @param in the catalog, if the statement names it
   * @throws io.kafkalyst.errors.KafkalystException NOT_IN_DIALECT for a value that contains the key's columns among the
   *         others, in a format without field names
   */
  def of(name: String, o: TopicObject, comment: Option[String] = None, in: Option[String] = None): String = {
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
    val columns = lines(o, _.sql, c => typeName(c.dataType, types)) { c =>
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
}
