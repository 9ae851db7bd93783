package io.kafkalyst.model.settings

/** Settings for running continuous queries. */
object QuerySettings {
  val restartAttempts: Setting = Setting(
    Setting.prefix + "query.restart.attempts",
    Some("10"),
    "How often in a row a failed continuous query restarts before it stays FAILED; 0: never. A finished batch " +
      "resets the count.",
    check = text => if (text.toIntOption.exists(_ >= 0)) None else Some("a whole number from 0"),
    trust = Trust.Session
  )
  val restartBackoff: Setting = Setting(
    Setting.prefix + "query.restart.backoff",
    Some("1 SECOND"),
    "The wait before the first restart, with its unit (MILLISECONDS to DAYS); doubled for each further one.",
    check = Setting.span,
    trust = Trust.Session
  )
  val queryLease: Setting = Setting(
    Setting.prefix + "query.lease",
    Some("30 SECONDS"),
    "How long after an application's end another may run its queries into a catalog's topics, with its unit.",
    check = Setting.span
  )
  val restartMaxBackoff: Setting = Setting(
    Setting.prefix + "query.restart.backoff.max",
    Some("5 MINUTES"),
    "The longest of these waits, with its unit.",
    check = Setting.span,
    trust = Trust.Session
  )
  val resumeAtStart: Setting = Setting(
    Setting.prefix + "query.resume.at-start",
    Some("false"),
    "Whether the first session of an application resumes the continuous queries of earlier ones, like RESUME ALL.",
    Seq("true", "false"),
    trust = Trust.Session
  )
  val offsetsGroup: Setting = Setting(
    Setting.prefix + "query.offsets.group.prefix",
    None,
    "Each batch commits its end offsets to the consumer group with this prefix and the query's id, for tools that " +
      "show the lag of groups. Default: no commits. A query always continues from its " +
      "checkpoint."
  )
}
