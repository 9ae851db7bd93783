package io.kafkalyst.analyze
package names

import io.kafkalyst.model.TopicColumn
import io.kafkalyst.names.InternalSchema
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * Rewrites expressions to the user's names once all their names are resolved: columns, struct fields, and the types of
 * function arguments.
 *
 * @param known an attribute's name and type, if a plan below it has already been rewritten
 * @param keeps whether Spark still resolves fields of an attribute by name
 */
final private[analyze] class KnownNames(
    known: ExprId => Option[Attribute] = _ => None,
    keeps: ExprId => Boolean = _ => false
) {

  /**
   * Rewrites one of an operator's own expressions. A bare column keeps its internal type, because it is renamed at the
   * end.
   */
  def apply(e: Expression): Expression = e match {
    case a: Attribute => attribute(a)
    case alias @ Alias(a: Attribute, _) => alias.withNewChildren(Seq(attribute(a)))
    case alias @ Alias(child, name) =>
      val value = whole(child)
      (child, value) match {
        // The alias comes from `s.*`.
        case (get: GetStructField, named) if get.extractFieldName == name && fieldOf(named).exists(_ != name) =>
          Alias(value, fieldOf(named).get)(alias.exprId, alias.qualifier, alias.explicitMetadata)
        case _ => alias.withNewChildren(Seq(value))
      }
    case order: SortOrder => order.mapChildren(apply)
    case other => whole(other)
  }

  /** Rewrites a generator's input: only field accesses, because Spark still resolves its fields by name. */
  def gone(e: Expression): Expression = if (isPath(e)) fields(e) else whole(e)

  /** An expression whose whole value is used: its type gets the user's names. */
  private def whole(e: Expression): Expression = e match {
    case tagged: WithNames => tagged
    case path if isPath(path) =>
      val named = fields(path)
      val dataType = externalType(named)
      if (dataType == named.dataType) named else WithNames(named, dataType)
    case OuterReference(a: Attribute) => OuterReference(attribute(a))
    case struct: CreateNamedStruct =>
      struct.withNewChildren(struct.children.grouped(2).toSeq.flatMap {
        case Seq(Literal(name, StringType), value) if name != null =>
          val named = whole(value)
          Seq(Literal(fieldName(name.toString, value, named)), named)
        case other => other.map(whole)
      })
    case function: HigherOrderFunction if function.resolved => lambda(function)
    case other => other.mapChildren(whole)
  }

  /** The name of a struct field that was taken from a column or a field, unless the user named it. */
  private def fieldName(name: String, value: Expression, named: Expression): String = (value, named) match {
    case (a: Attribute, _) => TopicColumn.nameOf(name, a.metadata)
    case (get: GetStructField, _) if get.extractFieldName == name => fieldOf(named).getOrElse(name)
    case _ => name
  }

  private def fieldOf(e: Expression): Option[String] = e match {
    case WithNames(child, _) => fieldOf(child)
    case GetStructField(_, _, name) => name
    case _ => None
  }

  /** A lambda's variables have the element types of its input. */
  private def lambda(function: HigherOrderFunction): Expression = {
    val bodies = function.functions
    val given = function.mapChildren(child => if (bodies.exists(_ eq child)) child else whole(child))
    given.asInstanceOf[HigherOrderFunction].bind { case (LambdaFunction(body, variables, hidden), types) =>
      val typed = variables.zip(types).map {
        case (v: NamedLambdaVariable, (dataType, _)) => v.copy(dataType = dataType)
        case (other, _) => other
      }
      val byId = typed.map(v => v.exprId -> v).toMap
      val renamed = body.transform { case v: NamedLambdaVariable => byId.getOrElse(v.exprId, v) }
      LambdaFunction(whole(renamed), typed, hidden)
    }
  }

  /** Renames field accesses recursively; types stay as they are. */
  def fields(e: Expression): Expression = e match {
    case a: Attribute => attribute(a)
    case get: ExtractValue if get.collectLeaves().exists { case a: Attribute => keeps(a.exprId); case _ => false } =>
      get
    case other =>
      other.mapChildren(fields) match {
        case get @ GetStructField(child, at, name) =>
          val field = externalType(child).asInstanceOf[StructType](at).name
          if (name.exists(_.equalsIgnoreCase(field))) get else get.copy(name = Some(field))
        case get @ GetArrayStructFields(child, field, at, _, _) =>
          val name = externalType(child).asInstanceOf[ArrayType].elementType.asInstanceOf[StructType](at).name
          if (name.equalsIgnoreCase(field.name)) get else get.copy(field = field.copy(name = name))
        case same => same
      }
  }

  private def isPath(e: Expression): Boolean = e.resolved && (e match {
    case _: Attribute | _: NamedLambdaVariable => true
    case get: ExtractValue => isPath(get.children.head)
    case _ => false
  })

  /** The type in the user's names. */
  private def externalType(e: Expression): DataType = e match {
    case a: Attribute => KnownNames.typeOf(a)
    case GetStructField(child, at, _) => externalType(child).asInstanceOf[StructType](at).dataType
    case GetArrayStructFields(child, _, at, _, nulls) =>
      ArrayType(externalType(child).asInstanceOf[ArrayType].elementType.asInstanceOf[StructType](at).dataType, nulls)
    case get: GetArrayItem => externalType(get.child).asInstanceOf[ArrayType].elementType
    case get: GetMapValue => externalType(get.child).asInstanceOf[MapType].valueType
    case other => other.dataType
  }

  private def attribute(a: Attribute): Attribute =
    if (!a.resolved) a
    else {
      val said = known(a.exprId).fold(a)(now => a.withName(now.name).withDataType(now.dataType))
      val name = TopicColumn.nameOf(said.name, said.metadata)
      if (name == said.name) said else said.withName(name)
    }
}

private[analyze] object KnownNames {

  def isRenamed(a: Attribute): Boolean = a.metadata.contains(TopicColumn.nameKey)

  /** A column's type in the user's names; some of its fields may have been pruned. */
  def typeOf(a: Attribute): DataType =
    if (!isRenamed(a)) a.dataType
    else {
      val column = TopicColumn.of(a)
      val internal = InternalSchema.of(Seq(column)).head.dataType
      // A function's result over the column already has external names.
      if (a.dataType == column.dataType || internal == column.dataType) a.dataType
      else InternalSchema.external(a.dataType, internal, column.dataType)
    }
}

/** Changes only the field names in a value's type; a no-op at run time that plans do not show. */
final case class WithNames(child: Expression, override val dataType: DataType) extends TaggingExpression {
  override def toString: String = child.toString
  override def sql: String = child.sql
  override protected def withNewChildInternal(newChild: Expression): WithNames = copy(newChild)
}
