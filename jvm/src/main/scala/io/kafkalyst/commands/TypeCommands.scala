package io.kafkalyst.commands

import io.kafkalyst.catalog.NamedTypes
import io.kafkalyst.errors.{Conditions, KafkalystException, Redaction}
import io.kafkalyst.model.Variables
import io.kafkalyst.model.settings.{Setting, Settings}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/** CREATE TYPE: names a type for use in later CREATE and CAST. */
final case class CreateType(name: String, ddl: String, ifNotExists: Boolean) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("status" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    var isThere = false
    new NamedTypes(session).change(name) { found =>
      isThere = found.isDefined
      if (isThere && !ifNotExists) throw KafkalystException("TYPE_EXISTS", "name" -> name, "type" -> found.get)
      found.orElse(Some(ddl))
    }
    Seq(Row(if (isThere) s"type $name already exists" else s"type $name created"))
  }
}

/** DROP TYPE. Objects that were declared with the type keep their columns' types. */
final case class DropType(ifExists: Boolean, name: String) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("status" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val types = new NamedTypes(session)
    var isThere = false
    types.change(name) { found =>
      isThere = found.isDefined
      if (!isThere && !ifExists) throw KafkalystException(
        "TYPE_NOT_FOUND",
        "name" -> name,
        "nearest" -> Conditions.nearest(name, types.all().map(_._1))
      )
      None
    }
    Seq(Row(if (isThere) s"type $name dropped" else s"type $name does not exist"))
  }
}

/** SHOW TYPES: the types of the current cluster's catalog, or of the session catalog's current database. */
final case class ShowTypes() extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("name" -> StringType, "type" -> StringType)
  override def run(session: SparkSession): Seq[Row] = new NamedTypes(session).all().map(Row.fromTuple)
}

/** DEFINE name = 'value': a variable of the session. */
final case class DefineVariable(name: String, value: String) extends LeafRunnableCommand {
  override def run(session: SparkSession): Seq[Row] = {
    session.conf.set(Variables.key(name), value)
    Nil
  }
}

/** UNDEFINE name; does nothing if there is no such variable. */
final case class UndefineVariable(name: String) extends LeafRunnableCommand {
  override def run(session: SparkSession): Seq[Row] = {
    session.conf.unset(Variables.key(name))
    Nil
  }
}

/** SHOW VARIABLES: the session's variables. */
final case class ShowVariables() extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("name" -> StringType, "value" -> StringType)
  override def run(session: SparkSession): Seq[Row] =
    Variables.of(session.conf.getAll).toSeq.sorted.map(Row.fromTuple)
}

/** SHOW PROPERTIES: the session's `spark.kafkalyst.*` settings, with secrets hidden. */
final case class ShowProperties() extends LeafRunnableCommand {
  override val output: Seq[Attribute] =
    Commands.output("property" -> StringType, "default" -> StringType, "value" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val settings = Commands.settings(session)
    val client = settings.kafka.map { case (n, v) => Row(Setting.clientPrefix + n, null, Redaction.value(n, v)) }
    Settings.all.map(s => Row(s.name, s.default.orNull, settings.get(s).map(Redaction.value(s.name, _)).orNull)) ++
      client
  }
}
