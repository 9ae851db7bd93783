package io.kafkalyst.bridge;

import java.util.UUID;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode;
import org.apache.spark.sql.execution.streaming.RealTimeTrigger;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.streaming.Trigger;

/**
 * Access to Spark's real-time mode, available since Spark 4.1. Its types occur only within the methods, so that Spark
 * 4.0 can load the class; it may call only {@link #isIn}.
 */
public final class RealTime {

  /** Makes Spark 4.1 and later check operators and sinks against allowlists, which contain no third-party sinks. */
  public static final String allowlistCheck = "spark.sql.streaming.realTimeMode.allowlistCheck";

  private RealTime() {}

  /** Whether this Spark version has real-time mode. */
  public static boolean isIn(String sparkVersion) {
    String[] parts = sparkVersion.split("[.-]");
    int major = Integer.parseInt(parts[0]);
    return major > 4 || (major == 4 && Integer.parseInt(parts[1]) >= 1);
  }

  /** The trigger with batches of this length, in milliseconds. */
  public static Trigger trigger(long millis) {
    return Trigger.RealTime(millis);
  }

  /** The trigger with batches of Spark's default length, five minutes. */
  public static Trigger trigger() {
    return Trigger.RealTime();
  }

  /** The stream for any trigger, including real-time, with the open offsets of Spark's own Kafka stream. */
  public static MicroBatchStream stream(OpenStream stream, MicroBatchStream kafka) {
    return new RealTimeStream(stream, (SupportsRealTimeMode) kafka);
  }

  /** The reader in the form that tasks of an open batch need. */
  public static PartitionReader<InternalRow> reader(OpenReader reader) {
    return new RealTimeReader(reader);
  }

  /** Whether the id belongs to a streaming query that runs in real-time mode. */
  public static boolean isTriggerOf(String queryId, SparkSession session) {
    StreamExecution query = ((org.apache.spark.sql.classic.SparkSession) session)
        .sharedState()
        .activeStreamingQueries()
        .get(UUID.fromString(queryId));
    return query != null && query.trigger() instanceof RealTimeTrigger;
  }
}
