package io.kafkalyst.commands
package show

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.model.ObjectKind
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/** DESCRIBE STREAMS|TABLES [EXTENDED]: the DESCRIBE output of each object of the current database. */
final case class DescribeObjects(kind: ObjectKind, extended: Boolean) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("name" -> StringType) ++ DescribeObject(Nil, extended).output

  override def run(session: SparkSession): Seq[Row] =
    new ObjectStore(session).list(Nil).filter(_.topic.kind == kind).flatMap { found =>
      DescribeObject(Seq(found.name.database, found.name.stored), extended).run(session).map(row =>
        Row.merge(Row(found.name.table), row)
      )
    }
}

object DescribeObjects {

  /** The kind that DESCRIBE STREAMS or DESCRIBE TABLES names; None for other names. */
  def kindOf(name: Seq[String]): Option[ObjectKind] = name match {
    case Seq(one) if one.equalsIgnoreCase("streams") => Some(ObjectKind.Stream)
    case Seq(one) if one.equalsIgnoreCase("tables") => Some(ObjectKind.Table)
    case _ => None
  }
}
