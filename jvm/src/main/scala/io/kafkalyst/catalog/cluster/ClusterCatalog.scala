package io.kafkalyst.catalog.cluster

/** A cluster's catalog, as Spark keeps it for a session. */
private[kafkalyst] trait ClusterCatalog {

  /** The options that Spark made it with, by their names without the catalog's prefix. */
  def options: Map[String, String]
}
