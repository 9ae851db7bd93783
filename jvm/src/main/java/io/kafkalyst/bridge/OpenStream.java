package io.kafkalyst.bridge;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.ReportsSourceMetrics;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;

/** A stream that {@link RealTime} turns into one whose batches have open ends. */
public interface OpenStream extends MicroBatchStream, SupportsTriggerAvailableNow, ReportsSourceMetrics {

  /** Called before the first batch if all batches will be open. */
  void prepareOpen();

  /**
   * The partitions that tasks read until their batch's time is over.
   *
   * @param planned by Spark's own Kafka stream
   */
  InputPartition[] planOpen(InputPartition[] planned);
}
