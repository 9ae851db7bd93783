package io.kafkalyst.commands
package topics

import java.util.Locale

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.catalog.define.ObjectDefinition
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.Properties
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/** Shared by the ASSERT statements: checks repeatedly until the assertion holds or the timeout is over. */
private[commands] object Assertion {
  private val defaultTimeout = 1000L
  private val pause = 100L

  /** @param look returns what is wrong; None if the assertion holds */
  def hold(what: String, timeout: Option[Long])(look: => Option[String]): Seq[Row] = {
    val end = System.nanoTime() + timeout.getOrElse(defaultTimeout) * 1000000L
    var wrong = look
    while (wrong.isDefined && System.nanoTime() < end) {
      Thread.sleep(pause)
      wrong = look
    }
    wrong.foreach { reason =>
      throw KafkalystException(
        "ASSERTION_FAILED",
        "what" -> what,
        "timeout" -> timeout.getOrElse(defaultTimeout).toString,
        "reason" -> reason
      )
    }
    Seq(Row(s"$what: as asserted"))
  }
}

/**
 * ASSERT [NOT EXISTS] TOPIC.
 *
 * @param timeout milliseconds
 */
final case class AssertTopic(topic: String, properties: Seq[(String, String)], exists: Boolean, timeout: Option[Long])
    extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("status" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val wanted = properties.map { case (name, value) => name.toUpperCase(Locale.ROOT) -> value }.toMap
    wanted.foreach { case (name, value) =>
      Seq(Properties.partitions, Properties.replicas).find(_.name == name).getOrElse(
        throw KafkalystException(
          "UNKNOWN_PROPERTY",
          "property" -> name,
          "nearest" -> "",
          "known" -> s"${Properties.partitions.name}, ${Properties.replicas.name}"
        )
      ).require(value)
    }
    val admin = Commands.admin(new ObjectStore(session).settings)
    Assertion.hold(s"topic $topic" + (if (exists) "" else " not existing"), timeout) {
      val found = admin.find(topic)
      val asWanted = found.exists(shape =>
        wanted.get(Properties.partitions.name).forall(_.toInt == shape.partitions) &&
          wanted.get(Properties.replicas.name).forall(_.toInt == shape.replicas)
      )
      if (asWanted == exists) None
      else
        Some(found.fold("it does not exist")(s =>
          s"it exists with ${s.partitions} partitions and ${s.replicas} replicas"
        ))
    }
  }
}

/**
 * ASSERT [NOT EXISTS] SCHEMA.
 *
 * @param timeout milliseconds
 */
final case class AssertSchema(subject: Option[String], id: Option[Int], exists: Boolean, timeout: Option[Long])
    extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("status" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    if (subject.isEmpty && id.isEmpty) throw KafkalystException("ASSERT_SCHEMA_OF_NOTHING")
    val registry = ObjectDefinition.registry(new ObjectStore(session).settings)
    val shown = Seq(subject.map(s => s"subject $s"), id.map(i => s"id $i")).flatten.mkString(", ")
    Assertion.hold(s"schema of $shown" + (if (exists) "" else " not existing"), timeout) {
      val found = (subject, id) match {
        case (Some(s), None) => registry.exists(s)
        case (Some(s), Some(i)) => registry.versions(s).exists(v => registry.version(s, v).exists(_.id == i))
        case (None, i) => registry.byId(i.get).isDefined
      }
      if (found == exists) None else Some(if (found) "the registry has it" else "the registry does not have it")
    }
  }
}
