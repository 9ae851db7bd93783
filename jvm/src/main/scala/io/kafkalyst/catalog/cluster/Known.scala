package io.kafkalyst.catalog.cluster

/** What a catalog's topic says up to an offset. */
private final case class Known(
    definitions: Map[String, Definition],
    types: Map[String, NamedType],
    leases: Map[String, Lease]
) {
  def defined(name: String, now: Option[Definition]): Known =
    copy(definitions = definitions.updatedWith(name)(_ => now))

  def typed(name: String, now: Option[NamedType]): Known = copy(types = types.updatedWith(name)(_ => now))

  def leased(query: String, now: Option[Lease]): Known = copy(leases = leases.updatedWith(query)(_ => now))
}

private object Known {
  val nothing: Known = Known(Map.empty, Map.empty, Map.empty)
}
