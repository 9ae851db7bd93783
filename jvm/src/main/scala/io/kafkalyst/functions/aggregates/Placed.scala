package io.kafkalyst.functions.aggregates

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, UnsafeRow}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{ArrayType, LongType}

/**
 * An aggregate function whose result depends on the order of a group's rows. Spark keeps no order: with many groups it
 * takes the later rows first (`ObjectHashAggregateExec`), and sorting that spills mixes rows of one group.
 */
trait Placed { this: Expression =>

  /** ARRAY<BIGINT>, the row's position among all. */
  def place: Expression

  /** The same function over rows whose position is another expression's. */
  def placedBy(place: Expression): Expression

  /** Whether rows have no position of their own yet; `analyze.RowPlaces` gives them one. */
  def isUnplaced: Boolean = place.foldable
}

object Placed {
  val dataType: ArrayType = ArrayType(LongType, containsNull = false)

  /** No position: before all others, and behind those before it that have none. */
  val nowhere: Literal = Literal.create(Seq.empty[Long], dataType)

  /** A position from its ARRAY. */
  def read(array: Any): Seq[Long] = array.asInstanceOf[ArrayData].toLongArray().toSeq

  /**
   * How many columns a row of ARRAYs was stored with: the first one's values begin behind the row's bits of nulls and
   * the columns. Former versions stored fewer.
   */
  def columns(row: UnsafeRow): Int = ((row.getLong(0) >>> 32).toInt - 8) / 8
}
