package io.kafkalyst.registry

/** What one thread asked of registries since it began; a task takes the difference over its own time. */
private[kafkalyst] final class RegistryCounts {

  /** Requests that were sent. */
  var requests: Long = 0

  /** Schemas that were known already. */
  var hits: Long = 0

  /** Requests beyond the first try. */
  var retries: Long = 0
}

private[kafkalyst] object RegistryCounts {
  private val ofThread = ThreadLocal.withInitial[RegistryCounts](() => new RegistryCounts)

  def mine: RegistryCounts = ofThread.get
}
