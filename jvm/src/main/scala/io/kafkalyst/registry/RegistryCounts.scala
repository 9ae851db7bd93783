package io.kafkalyst.registry

/** Registry counters of one thread since it started; a task uses the difference over its own run time. */
private[kafkalyst] final class RegistryCounts {

  /** Requests sent. */
  var requests: Long = 0

  /** Schemas found in the cache. */
  var hits: Long = 0

  /** Retried requests. */
  var retries: Long = 0
}

private[kafkalyst] object RegistryCounts {
  private val ofThread = ThreadLocal.withInitial[RegistryCounts](() => new RegistryCounts)

  def mine: RegistryCounts = ofThread.get
}
