package io.kafkalyst.read

/** The number of tasks that can run at the same time. */
private[read] object TaskSlots {
  private val some = """local\[(\d+)(?:,.*)?\]""".r
  private val all = """local\[\*(?:,.*)?\]""".r

  /** For a local master; None for any other, whose executors may not have registered yet. */
  def ofLocal(master: String): Option[Int] = master match {
    case "local" => Some(1)
    case some(threads) => threads.toIntOption
    case all() => Some(Runtime.getRuntime.availableProcessors)
    case _ => None
  }
}
