package io.kafkalyst.model
package flink

/** Flink's options without effect here. */
private[flink] object FlinkIgnored {

  /** Whole numbers: Spark plans its tasks, and rows are sent as they arrive. */
  private val counts = Set("scan.parallelism", "sink.parallelism", "sink.buffer-flush.max-rows")

  /** Each batch discovers new partitions and has one watermark; transactional ids are generated. */
  val names: Set[String] = counts ++ Set(
    "scan.topic-partition-discovery.interval",
    "scan.watermark.emit.strategy",
    "scan.watermark.emit.on-event.gap",
    "scan.watermark.idle-timeout",
    "scan.watermark.alignment.group",
    "scan.watermark.alignment.max-drift",
    "scan.watermark.alignment.update-interval",
    "sink.buffer-flush.interval",
    "sink.transactional-id-prefix",
    "sink.transaction-naming-strategy"
  )

  private val duration = Values(
    "not a length of time, as '5 min' or '100 ms' is",
    "(?i)\\s*\\d+\\s*(d|days?|h|hours?|m|min|minutes?|s|sec|seconds?|ms|millis?|milliseconds?|µs|micros?|microseconds?|ns|nanos?|nanoseconds?)?\\s*"
  )

  /** The valid values of options without effect; Flink rejects others. */
  private val values = counts.map(_ -> Values("not a whole number", "\\s*\\d{1,9}\\s*")).toMap ++
    counts.filter(_.endsWith("parallelism")).map(
      _ -> Values("not a whole number from 1", "\\s*0*[1-9]\\d{0,8}\\s*")
    ) ++ Seq(
      "scan.topic-partition-discovery.interval",
      "scan.watermark.idle-timeout",
      "scan.watermark.alignment.max-drift",
      "scan.watermark.alignment.update-interval",
      "sink.buffer-flush.interval"
    ).map(_ -> duration) ++ Seq(
      "scan.watermark.emit.strategy" -> Values("neither on-event nor on-periodic", "(?i)on-event|on-periodic"),
      "sink.transaction-naming-strategy" ->
        Values("neither incrementing nor pooling", "(?i)incrementing|pooling")
    )

  /** @param other the error for a value that does not match `form` */
  private final case class Values(other: String, form: String)

  /** Whether a number or a length of time is above zero. */
  def isSome(value: String): Boolean = value.exists(c => c >= '1' && c <= '9')

  /** Why Flink rejects a value; None if it accepts the value, and for other options. */
  def fault(name: String, value: String): Option[String] =
    values.get(name).filterNot(of => value.matches(of.form)).map(of => s"'$value' is ${of.other}")
}
