package io.kafkalyst.parse
package door

import java.util.Locale

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.parse.island.KnownSources
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

import scala.util.Try

/** The sources that the session's catalogs know. */
private[parse] final class CatalogSources(session: SparkSession, store: ObjectStore) extends KnownSources {
  override def isTopic(parts: Seq[String]): Boolean = store.isTopic(parts)

  override def namesOf(topic: Seq[String]): Seq[String] =
    store.find(topic).toSeq.flatMap(_.topic.columns).flatMap(c => c.name +: fields(c.dataType))

  /** The column names of the topics, in lower case, and whether any column of that name is a STRUCT. */
  def columns(topics: Seq[Seq[String]]): Map[String, Boolean] =
    topics.flatMap(store.find).flatMap(_.topic.columns)
      .groupMapReduce(_.name.toLowerCase(Locale.ROOT))(_.dataType.isInstanceOf[StructType])(_ || _)

  private def fields(t: DataType): Seq[String] = t match {
    case s: StructType => s.fields.toSeq.flatMap(f => f.name +: fields(f.dataType))
    case a: ArrayType => fields(a.elementType)
    case m: MapType => fields(m.keyType) ++ fields(m.valueType)
    case _ => Nil
  }

  /** None if the table cannot be read: Spark then reports its own error. */
  override def foreign(parts: Seq[String]): Option[Seq[String]] =
    Try(session.table(parts.map(quoteIdentifier).mkString(".")).columns.toSeq).toOption

  override def isCatalog(name: String): Boolean = store.isCatalog(name)
}
