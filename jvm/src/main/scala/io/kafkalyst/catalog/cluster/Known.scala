package io.kafkalyst.catalog.cluster

import com.fasterxml.jackson.databind.JsonNode

/** What a catalog's topic says up to an offset. */
private final case class Known(
    definitions: Map[String, Definition],
    types: Map[String, NamedType],
    leases: Map[String, Lease]
) {

  /**
   * What it says with one more record; None if the key is not a catalog's.
   *
   * @param value None for a tombstone
   * @param place where the record is, for messages
   */
  def after(key: Option[JsonNode], value: Option[Array[Byte]], timestamp: Long, place: String): Option[Known] =
    key.collect {
      case Definition.Key(name) =>
        val now = value.map(Definition.of(_, s"$name $place"))
        copy(definitions = definitions.updatedWith(name)(_ => now))
      case NamedType.Key(name) =>
        val now = value.map(NamedType.of(_, s"the type $name $place"))
        copy(types = types.updatedWith(name)(_ => now))
      case Lease.Key(query) =>
        val now = value.map(v => Lease.of(CatalogRecord.tree(v), timestamp))
        copy(leases = leases.updatedWith(query)(_ => now))
    }
}

private object Known {
  val nothing: Known = Known(Map.empty, Map.empty, Map.empty)
}
