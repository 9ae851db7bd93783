package io.kafkalyst.read

/** How many tasks run at a time. */
private[read] object TaskSlots {
  private val some = """local\[(\d+)(?:,.*)?\]""".r
  private val all = """local\[\*(?:,.*)?\]""".r

  /** Of a local master; None of any other, whose executors may be still to come. */
  def ofLocal(master: String): Option[Int] = master match {
    case "local" => Some(1)
    case some(threads) => threads.toIntOption
    case all() => Some(Runtime.getRuntime.availableProcessors)
    case _ => None
  }
}
