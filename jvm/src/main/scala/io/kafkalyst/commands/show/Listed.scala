package io.kafkalyst.commands
package show

import org.apache.spark.sql.catalyst.util.StringUtils

/**
 * Selects what a listing shows.
 *
 * @param in   a database, or a cluster's catalog and a prefix of topic names; empty for the current place
 * @param like a pattern as in Spark's own listings: `*` matches any text, `|` separates patterns; SQL's `%` is accepted
 *             for `*`
 */
final case class Listed(in: Seq[String] = Nil, like: Option[String] = None) {
  def apply[T](all: Seq[T])(name: T => String): Seq[T] = like.fold(all) { pattern =>
    val shown = StringUtils.filterPattern(all.map(name), pattern.replace('%', '*')).toSet
    all.filter(one => shown(name(one)))
  }
}
