package io.kafkalyst.model.settings

/** Settings of reads; see [[Settings]]. */
object ReadSettings {
  import Setting.prefix

  val offsetReset: Setting = Setting(
    prefix + "query.offset.reset",
    Some("earliest"),
    "Where reads without end, also of continuous queries, begin if the object has no `scan.startup.mode`: " +
      "`earliest` or `latest`.",
    Seq("earliest", "latest"),
    synonym = Some("auto.offset.reset"),
    trust = Trust.Session
  )
}
