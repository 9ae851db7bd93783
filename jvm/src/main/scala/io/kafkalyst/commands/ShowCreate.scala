package io.kafkalyst.commands

import io.kafkalyst.catalog.{ObjectStore, StoredObject}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model._
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types._

/** SHOW CREATE STREAM|TABLE name AS KSQLDB|FLINK: the statement that would make the object in that language. */
final case class ShowCreate(parts: Seq[String], dialect: String) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("createtab_stmt" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val found = Commands.find(new ObjectStore(session), parts)
    dialect.toUpperCase match {
      case "KSQLDB" => Seq(Row(ksqldb(found)))
      case "FLINK" => Seq(Row(flink(found, Commands.settings(session)(Settings.bootstrapServers))))
      case _ => throw KafkalystException("UNKNOWN_DIALECT", "dialect" -> dialect)
    }
  }

  private def text(value: String) = s"'${value.replace("'", "''")}'"

  private def ksqldb(o: StoredObject): String = {
    val topic = o.topic
    val columns = topic.columns.map { c =>
      val role = c.metadata match {
        case Some(m) if m.virtual && m.key == "headers" => " HEADERS"
        case Some(m) if m.virtual && m.key.startsWith("headers.") => s" HEADER(${text(m.key.stripPrefix("headers."))})"
        case Some(m) => s" METADATA FROM ${text(m.key)}" + (if (m.virtual) " VIRTUAL" else "")
        case None if c.side == Side.Value => ""
        case None => if (topic.kind == ObjectKind.Table) " PRIMARY KEY" else " KEY"
      }
      s"  ${quoteIdentifier(c.name)} ${ShowCreate.type_(c.dataType, ShowCreate.ksqldb)}$role"
    }
    val properties =
      Seq("KAFKA_TOPIC" -> topic.topic, "KEY_FORMAT" -> topic.key.format, "VALUE_FORMAT" -> topic.value.format) ++
        topic.options.toSeq.sorted
    s"CREATE ${topic.kind} ${quoteIdentifier(o.name.table)} (\n${columns.mkString(",\n")}\n) WITH (\n" +
      properties.map { case (k, v) => s"  ${if (k.forall(c => c.isLetter || c == '_')) k else text(k)} = ${text(v)}" }
        .mkString(",\n") + "\n)"
  }

  private def flink(o: StoredObject, brokers: String): String = {
    val topic = o.topic
    val isTable = topic.kind == ObjectKind.Table
    val keys = topic.columns(Side.Key).map(_.name)
    val columns = topic.columns.map { c =>
      val role = c.metadata.fold("")(m => s" METADATA FROM ${text(m.key)}" + (if (m.virtual) " VIRTUAL" else ""))
      s"  ${quoteIdentifier(c.name)} ${ShowCreate.type_(c.dataType, ShowCreate.flink)}$role"
    } ++ (if (isTable) Seq(s"  PRIMARY KEY (${keys.map(quoteIdentifier).mkString(", ")}) NOT ENFORCED") else Nil)
    def format(side: Side) = FlinkOptions.formatName(topic.format(side).format)
    val options = Seq(
      "connector" -> (if (isTable) "upsert-kafka" else "kafka"),
      "topic" -> topic.topic,
      "properties.bootstrap.servers" -> brokers
    ) ++ (if (keys.isEmpty) Nil else Seq("key.format" -> format(Side.Key))) ++
      (if (keys.isEmpty || isTable) Nil else Seq("key.fields" -> keys.mkString(";"))) ++
      Seq("value.format" -> format(Side.Value)) ++
      (if (keys.isEmpty || topic.options.contains(Properties.valueFieldsInclude.name)) Nil
       else Seq("value.fields-include" -> "EXCEPT_KEY")) ++
      topic.options.toSeq.sorted.map { case (k, v) => k.toLowerCase -> v }
    s"CREATE TABLE ${quoteIdentifier(o.name.table)} (\n${columns.mkString(",\n")}\n) WITH (\n" +
      options.map { case (k, v) => s"  ${text(k)} = ${text(v)}" }.mkString(",\n") + "\n)"
  }
}

object ShowCreate {
  val ksqldb: Map[DataType, String] = Map(StringType -> "STRING", BinaryType -> "BYTES", IntegerType -> "INT")
  val flink: Map[DataType, String] = ksqldb ++
    Map(TimestampType -> "TIMESTAMP_LTZ(6)", TimestampNTZType -> "TIMESTAMP(6)", StructType(Nil) -> "ROW")

  /** A type in the names of a language; those without another name as Spark has them. */
  def type_(dataType: DataType, names: Map[DataType, String]): String = dataType match {
    case a: ArrayType => s"ARRAY<${type_(a.elementType, names)}>"
    case m: MapType => s"MAP<${type_(m.keyType, names)}, ${type_(m.valueType, names)}>"
    case s: StructType =>
      s.fields.map(f => s"${quoteIdentifier(f.name)} ${type_(f.dataType, names)}")
        .mkString(s"${names.getOrElse(StructType(Nil), "STRUCT")}<", ", ", ">")
    case other => names.getOrElse(other, other.sql)
  }
}
