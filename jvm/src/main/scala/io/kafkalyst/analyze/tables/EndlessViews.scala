package io.kafkalyst.analyze
package tables

import io.kafkalyst.catalog.{ObjectStore, TopicTable}
import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{CTESubstitution, GetViewColumnByNameAndOrdinal, UnresolvedRelation}
import org.apache.spark.sql.catalyst.catalog.CatalogTableType
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, SubqueryAlias, View}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Views over topics in an unbounded query. Spark resolves a view's tables as bounded reads, so the view's query is
 * inlined.
 */
private[kafkalyst] final class EndlessViews(session: SparkSession, store: ObjectStore) {
  private def catalog = session.sessionState.catalog

  /**
   * The query of a view over topics, under the view's name; None for anything else.
   *
   * @throws io.kafkalyst.errors.KafkalystException ENDLESS_VIEW for a view of a DataFrame, whose plan cannot be made
   *         unbounded
   */
  def query(relation: UnresolvedRelation): Option[LogicalPlan] =
    find(relation.multipartIdentifier).filter(readsTopics).map { view =>
      if (view.child.resolved)
        throw KafkalystException("ENDLESS_VIEW", "name" -> relation.multipartIdentifier.mkString("."))
      SubqueryAlias(relation.multipartIdentifier.last, ofView(view))
    }

  /** Whether the name is a topic's or that of a view over topics. */
  def isOverTopics(parts: Seq[String]): Boolean = store.isTopic(parts) || readsTopics(parts)

  /** Whether there is a view of that name that reads topics. */
  def readsTopics(parts: Seq[String]): Boolean = find(parts).exists(readsTopics)

  /** Whether a view reads topics and is stored as text, so that each read loads the topics again. */
  def loadsTopics(parts: Seq[String]): Boolean = find(parts).exists(view => !view.child.resolved && readsTopics(view))

  /** The columns of a view that reads topics; None for any other name. */
  def columnsOverTopics(parts: Seq[String]): Option[Seq[String]] =
    find(parts).filter(readsTopics).map(_.desc.schema.fieldNames.toSeq)

  private def find(parts: Seq[String]): Option[View] =
    if (store.isTemporaryView(parts)) {
      val isGlobal = parts.init.lastOption.exists(catalog.isGlobalTempViewDB)
      if (isGlobal) catalog.getGlobalTempView(parts.last) else catalog.getTempView(parts.last)
    } else store.inSession(parts).flatMap(name => stored(TableIdentifier(name.table, Some(name.database))))

  private def stored(id: TableIdentifier): Option[View] =
    if (!catalog.databaseExists(id.database.get) || !catalog.tableExists(id)) None
    else {
      val entry = catalog.getTableMetadata(id)
      if (entry.tableType != CatalogTableType.VIEW) None
      else catalog.getRelation(entry, CaseInsensitiveStringMap.empty).collectFirst { case view: View => view }
    }

  private def readsTopics(view: View): Boolean = ofView(view).collectWithSubqueries {
    case r: UnresolvedRelation => isOverTopics(r.multipartIdentifier)
    case r: DataSourceV2Relation => r.table.isInstanceOf[TopicTable]
  }.contains(true)

  /** The view's query, with names resolved as when the view was created. */
  private def ofView(view: View): LogicalPlan =
    if (view.child.resolved) view.child
    else CTESubstitution(view.child).transformDownWithSubqueries {
      // In a stream, an event-time column has a time zone; Spark's cast of the view's column would remove it.
      case p: Project => p.copy(projectList = p.projectList.map {
          case a @ Alias(cast, name)
              if cast.children.exists(_.isInstanceOf[GetViewColumnByNameAndOrdinal]) &&
                cast.dataType == TimestampNTZType => Alias(cast.children.head, name)(a.exprId, a.qualifier)
          case other => other
        })
      case r: UnresolvedRelation if !refersToTemporary(view, r.multipartIdentifier) =>
        UnresolvedRelation(inPlace(r.multipartIdentifier, view), r.options, r.isStreaming)
    }

  /** A view reads only the temporary views that existed when it was created, not later ones of the same name. */
  private def refersToTemporary(view: View, parts: Seq[String]) = view.desc.viewReferredTempViewNames.exists { name =>
    name.size == parts.size && name.zip(parts).forall { case (a, b) => a.equalsIgnoreCase(b) }
  }

  /** Qualifies a name in the view's catalog and namespace, as Spark expands views. */
  private def inPlace(parts: Seq[String], view: View): Seq[String] =
    if (parts.size == 1) view.desc.viewCatalogAndNamespace ++ parts
    else if (store.isCatalog(parts.head)) parts
    else view.desc.viewCatalogAndNamespace.take(1) ++ parts
}
