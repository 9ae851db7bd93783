package io.kafkalyst.registry

/** What a status of HTTP means, from a registry and from an OAuth server alike. */
private[registry] object HttpStatus {

  /** Whether a retry may succeed; 501 is permanent. */
  def isPassing(status: Int): Boolean = status == 408 || status == 429 || status >= 500 && status != 501
}
