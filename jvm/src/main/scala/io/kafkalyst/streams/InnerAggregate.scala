package io.kafkalyst.streams

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.DataType

/**
 * Runs one of Spark's aggregate functions over buffers that the caller keeps. May modify the buffer passed in; use the
 * returned one. Not thread-safe.
 */
private[streams] sealed abstract class InnerAggregate {
  def empty: InternalRow
  def update(buffer: InternalRow, row: InternalRow): InternalRow
  def merge(buffer: InternalRow, other: InternalRow): InternalRow
  def result(buffer: InternalRow): Any
  def toBytes(buffer: InternalRow): Array[Byte]
  def fromBytes(bytes: Array[Byte]): InternalRow
}

private[streams] object InnerAggregate {
  def apply(function: AggregateFunction): InnerAggregate = function match {
    case d: DeclarativeAggregate => new Declarative(d)
    case t: TypedImperativeAggregate[_] => new Typed(t.withNewMutableAggBufferOffset(0).withNewInputAggBufferOffset(0))
    case i: ImperativeAggregate =>
      new Imperative(i.withNewMutableAggBufferOffset(0).withNewInputAggBufferOffset(0))
  }

  private abstract class InRows(types: Seq[DataType]) extends InnerAggregate {
    private lazy val bytes = UnsafeProjection.create(types.toArray)
    override def toBytes(buffer: InternalRow): Array[Byte] = bytes(buffer).getBytes
    override def fromBytes(bytes: Array[Byte]): InternalRow = {
      val row = new UnsafeRow(types.size)
      row.pointTo(bytes, bytes.length)
      val buffer = new SpecificInternalRow(types)
      types.indices.foreach(i => buffer.update(i, InternalRow.copyValue(row.get(i, types(i)))))
      buffer
    }
  }

  private final class Declarative(f: DeclarativeAggregate) extends InRows(f.aggBufferAttributes.map(_.dataType)) {
    private val own = f.aggBufferAttributes
    private val initial = f.initialValues
    // The function's inputs are already bound to a row, which here follows the buffer.
    private lazy val updates = f.updateExpressions.map(over(_, own, inputAt = own.size))
    private lazy val merges = f.mergeExpressions.map(over(_, own ++ f.inputAggBufferAttributes, inputAt = 0))
    private lazy val last = over(f.evaluateExpression, own, inputAt = 0)

    private def over(e: Expression, rows: Seq[Attribute], inputAt: Int): Expression = {
      val replaced = e.transformUp {
        case b: BoundReference => BoundReference(b.ordinal + inputAt, b.dataType, b.nullable)
        case a: Attribute if rows.exists(_.exprId == a.exprId) =>
          BoundReference(rows.indexWhere(_.exprId == a.exprId), a.dataType, a.nullable)
      }
      replaced.foreach { case n: Nondeterministic => n.initialize(0); case _ => }
      replaced
    }

    private def values(expressions: Seq[Expression], row: InternalRow) =
      new GenericInternalRow(expressions.map(e => InternalRow.copyValue(e.eval(row))).toArray[Any])

    override def empty: InternalRow = values(initial, InternalRow.empty)
    override def update(buffer: InternalRow, row: InternalRow): InternalRow =
      values(updates, new JoinedRow(buffer, row))
    override def merge(buffer: InternalRow, other: InternalRow): InternalRow =
      values(merges, new JoinedRow(buffer, other))
    override def result(buffer: InternalRow): Any = last.eval(buffer)
  }

  private final class Imperative(f: ImperativeAggregate) extends InRows(f.aggBufferAttributes.map(_.dataType)) {
    override def empty: InternalRow = {
      val buffer = new SpecificInternalRow(f.aggBufferAttributes.map(_.dataType))
      f.initialize(buffer)
      buffer
    }
    override def update(buffer: InternalRow, row: InternalRow): InternalRow = {
      f.update(buffer, row)
      buffer
    }
    override def merge(buffer: InternalRow, other: InternalRow): InternalRow = {
      f.merge(buffer, other)
      buffer
    }
    override def result(buffer: InternalRow): Any = f.eval(buffer)
  }

  private final class Typed(function: ImperativeAggregate) extends InnerAggregate {
    private val f = function.asInstanceOf[TypedImperativeAggregate[Any]]
    override def empty: InternalRow = {
      val buffer = new GenericInternalRow(1)
      f.initialize(buffer)
      buffer
    }
    override def update(buffer: InternalRow, row: InternalRow): InternalRow = {
      f.update(buffer, row)
      buffer
    }
    override def merge(buffer: InternalRow, other: InternalRow): InternalRow = {
      f.mergeBuffersObjects(buffer, other)
      buffer
    }
    override def result(buffer: InternalRow): Any = f.eval(buffer)
    override def toBytes(buffer: InternalRow): Array[Byte] = f.serialize(buffer.get(0, f.dataType))
    override def fromBytes(bytes: Array[Byte]): InternalRow = {
      val buffer = new GenericInternalRow(1)
      buffer.update(0, f.deserialize(bytes))
      buffer
    }
  }
}
