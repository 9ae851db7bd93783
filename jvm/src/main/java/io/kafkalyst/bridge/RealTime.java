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
 * The way to Spark's real-time mode, which is there since Spark 4.1. Its own types are named within the methods alone,
 * so that the class can be loaded by Spark 4.0, which may ask for nothing but {@link #isIn}.
 */
public final class RealTime {

  /** Asking Spark 4.1 and later to check operators and sinks by lists that name no others' sinks. */
  public static final String allowlistCheck = "spark.sql.streaming.realTimeMode.allowlistCheck";

  private RealTime() {}

  /** Whether a Spark of this version has the mode. */
  public static boolean isIn(String sparkVersion) {
    String[] parts = sparkVersion.split("[.-]");
    int major = Integer.parseInt(parts[0]);
    return major > 4 || (major == 4 && Integer.parseInt(parts[1]) >= 1);
  }

  /** The trigger whose batches are so long. */
  public static Trigger trigger(long millis) {
    return Trigger.RealTime(millis);
  }

  /** The trigger with batches of Spark's default length, five minutes. */
  public static Trigger trigger() {
    return Trigger.RealTime();
  }

  /** The stream for any trigger, this one too, with the open offsets of Spark's own Kafka stream. */
  public static MicroBatchStream stream(OpenStream stream, MicroBatchStream kafka) {
    return new RealTimeStream(stream, (SupportsRealTimeMode) kafka);
  }

  /** The reader as tasks of an open batch need it. */
  public static PartitionReader<InternalRow> reader(OpenReader reader) {
    return new RealTimeReader(reader);
  }

  /** Whether the id is that of a streaming query which runs in real time. */
  public static boolean isTriggerOf(String queryId, SparkSession session) {
    StreamExecution query = ((org.apache.spark.sql.classic.SparkSession) session)
        .sharedState()
        .activeStreamingQueries()
        .get(UUID.fromString(queryId));
    return query != null && query.trigger() instanceof RealTimeTrigger;
  }
}
