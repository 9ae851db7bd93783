package io.kafkalyst.parse

import io.kafkalyst.commands.{CreateObject, CreateOptions}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{FlinkOptions, ObjectKind, Side, TopicColumn}
import io.kafkalyst.parse.grammar.KafkalystParser._

import scala.jdk.CollectionConverters._

/** Flink's `CREATE TABLE … WITH ('connector' = 'kafka' | 'upsert-kafka', …)` as the statement of ours. */
private[parse] object FlinkTable {

  /**
   * Refuses the clauses that are not there.
   *
   * @throws io.kafkalyst.errors.KafkalystException FLINK_CLAUSE with the place, and what does it instead
   */
  def check(elements: Seq[ColumnElementContext], isFlink: Boolean): Unit = elements.foreach { element =>
    def refuse(what: String, instead: String): Nothing = throw KafkalystException(
      "FLINK_CLAUSE",
      ColumnRoles.at(element) ++ Seq("what" -> what, "instead" -> instead): _*
    )
    if (element.computedColumn != null) {
      refuse("a computed column", "Compute it in the query, or in a view: CREATE VIEW … AS SELECT *, … FROM …")
    }
    if (element.watermark != null) {
      refuse("a WATERMARK", "In the DataFrame API, withWatermark sets one on the stream.")
    }
    if (element.tableKey != null && !isFlink) {
      refuse("PRIMARY KEY behind the columns", "Mark the key's columns: name TYPE PRIMARY KEY.")
    }
  }

  /** @param keys the columns that PRIMARY KEY names, behind the columns or at one of them */
  def create(
      parts: Seq[String],
      columns: Seq[TopicColumn],
      keys: Seq[String],
      properties: Seq[(String, String)],
      options: CreateOptions
  ): CreateObject = {
    val marked = columns.filter(_.side == Side.Key).map(_.name)
    val flink = FlinkOptions.of(properties, (keys ++ marked).distinct)
    val physical = columns.filter(_.metadata.isEmpty).map(_.name)
    flink.keyFields.find(!physical.contains(_)).foreach { key =>
      throw KafkalystException(
        "FLINK_OPTION",
        "option" -> (if (flink.isUpsert) "PRIMARY KEY" else "key.fields"),
        "reason" -> s"$key is no column of key or value; those are ${physical.mkString(", ")}"
      )
    }
    CreateObject(
      if (flink.isUpsert) ObjectKind.Table else ObjectKind.Stream,
      parts,
      columns.map(c => if (flink.keyFields.contains(c.name)) c.copy(side = Side.Key) else c.copy(side = Side.Value)),
      flink.properties,
      options.copy(isFlink = true, brokers = flink.brokers)
    )
  }

  def keyNames(elements: Seq[ColumnElementContext]): Seq[IdentifierContext] =
    elements.flatMap(e => Option(e.tableKey)).flatMap { key =>
      // The first name is the constraint's own where there is one.
      key.identifier.asScala.drop(if (key.CONSTRAINT == null) 0 else 1)
    }
}
