package io.kafkalyst.functions.aggregates

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, UnsafeRow}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{ArrayType, LongType}

/**
 * An aggregate function whose result depends on the order of a group's rows. Spark does not keep the order: with many
 * groups it processes later rows first (`ObjectHashAggregateExec`), and a sort that spills mixes the rows of a group.
 */
trait Placed { this: Expression =>

  /** ARRAY<BIGINT>, the row's position among all. */
  def place: Expression

  /** The same function with another expression for the rows' positions. */
  def placedBy(place: Expression): Expression

  /** Whether rows have no position of their own yet; `analyze.RowPlaces` gives them one. */
  def isUnplaced: Boolean = place.foldable
}

object Placed {
  val dataType: ArrayType = ArrayType(LongType, containsNull = false)

  /** No position: such rows precede all others, in the order in which they arrive. */
  val nowhere: Literal = Literal.create(Seq.empty[Long], dataType)

  /** A position from its ARRAY. */
  def read(array: Any): Seq[Long] = array.asInstanceOf[ArrayData].toLongArray().toSeq

  /**
   * The number of columns that a row of ARRAYs was stored with, from the offset of the first value, which follows the
   * null bits and the columns. Former versions stored fewer columns.
   */
  def columns(row: UnsafeRow): Int = ((row.getLong(0) >>> 32).toInt - 8) / 8
}
