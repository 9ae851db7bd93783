package io.kafkalyst.catalog

import java.util.Locale

import io.kafkalyst.model.TopicObject
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier

/** A named Kafkalyst object with the additional properties of its catalog entry. */
final case class StoredObject(name: ObjectName, topic: TopicObject, properties: Map[String, String]) {
  def comment: Option[String] = properties.get(StoredObject.comment)

  /** The entry's properties besides its definition, which users and queries have set. */
  def others: Map[String, String] = {
    val own = ObjectCodec.encodeWithSchema(topic).keySet.map(_.toLowerCase(Locale.ROOT))
    properties.filterNot { case (name, _) => own(name.toLowerCase(Locale.ROOT)) }
  }
}

object StoredObject {

  /** Spark's name for an entry's comment among its properties. */
  val comment = "comment"
}

/**
 * The full name of an object. The session catalog may store it in another case than a statement writes it; in a cluster
 * catalog it is the topic's name.
 *
 * @param database the database in the session catalog; in a cluster, the catalog's name
 * @param stored   the entry's own name, see [[StoredNames]]
 * @param isOfCluster whether the object is in a cluster catalog
 */
final case class ObjectName(database: String, table: String, stored: String, isOfCluster: Boolean = false) {
  def identifier: TableIdentifier = TableIdentifier(stored, Some(database))

  /** The name for statements, valid in any current catalog. */
  def sql: String = if (isOfCluster) shortSql else s"${ObjectName.sessionCatalog}.$shortSql"

  /** The short name, without the session catalog, quoted. */
  def shortSql: String = Seq(database, stored).map(quoteIdentifier).mkString(".")
  override def toString: String = s"$database.$table"

  /**
   * The qualifiers of the object's columns, as Spark has them for its own tables: catalog, namespace, and the name as the
   * statement writes it.
   *
   * @param written the object's name in the statement, perhaps without its catalog and namespace
   */
  def qualifiers(written: Seq[String]): Seq[String] =
    if (!isOfCluster) Seq(ObjectName.sessionCatalog, database, written.last)
    else {
      val own = if (written.tail.mkString(".") == stored) written.tail else written
      // Dots of a topic's name are namespaces.
      val before = stored.stripSuffix(own.mkString(".")).split('.').filter(_.nonEmpty)
      (database +: before.toSeq) ++ own
    }

  /** The same name with a separate catalog entry, for names that differ only in case. */
  private[catalog] def exact: ObjectName = copy(stored = StoredNames.exact(table))

  override def equals(other: Any): Boolean = other match {
    // Topics whose names differ only in case are different.
    case o: ObjectName if isOfCluster || o.isOfCluster =>
      o.isOfCluster == isOfCluster && o.database == database && o.stored == stored
    case o: ObjectName => o.database.equalsIgnoreCase(database) && o.stored.equalsIgnoreCase(stored)
    case _ => false
  }
  override def hashCode: Int = s"$database.$stored".toLowerCase(Locale.ROOT).hashCode
}

object ObjectName {

  /** Spark's name for the session catalog, whatever implements it. */
  val sessionCatalog = "spark_catalog"

  def apply(database: String, table: String): ObjectName = ObjectName(database, table, StoredNames.of(table))

  /** The name of a topic in a cluster catalog. */
  def ofTopic(catalog: String, topic: String): ObjectName = ObjectName(catalog, topic, topic, isOfCluster = true)
}
