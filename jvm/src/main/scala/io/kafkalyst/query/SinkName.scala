package io.kafkalyst.query

import io.kafkalyst.catalog.ObjectName
import org.apache.spark.sql.catalyst.util.QuotingUtils.{quoteIdentifier, quoteIfNeeded}

/** The sink of a continuous query: a Kafkalyst object or a table of any catalog. */
sealed trait SinkName {

  /** Whether it is the given Kafkalyst object. */
  def is(name: ObjectName): Boolean
}

object SinkName {
  final case class OfObject(name: ObjectName) extends SinkName {
    override def is(other: ObjectName): Boolean = name == other
    override def toString: String = name.toString
  }

  /** @param parts the catalog, the namespace, the table */
  final case class OfTable(parts: Seq[String]) extends SinkName {
    override def is(name: ObjectName): Boolean = false
    def sql: String = parts.map(quoteIdentifier).mkString(".")
    override def toString: String = parts.map(quoteIfNeeded).mkString(".")
  }
}
