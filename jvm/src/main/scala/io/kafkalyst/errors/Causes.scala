package io.kafkalyst.errors

/** An error and its causes, the outermost first. */
private[kafkalyst] object Causes {
  def of(e: Throwable): Iterator[Throwable] = Iterator.iterate(e)(_.getCause).takeWhile(_ != null)
}
