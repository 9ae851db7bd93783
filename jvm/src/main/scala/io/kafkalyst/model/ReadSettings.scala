package io.kafkalyst.model

/** Settings of reads; see [[Settings]]. */
object ReadSettings {
  import Setting.prefix

  val offsetReset: Setting = Setting(
    prefix + "query.offset.reset",
    Some("earliest"),
    "Where reads without end begin, those of continuous queries too, in an object whose `scan.startup.mode` says " +
      "nothing else: `earliest` or `latest`.",
    Seq("earliest", "latest"),
    synonym = Some("auto.offset.reset"),
    trust = Trust.Session
  )
}
