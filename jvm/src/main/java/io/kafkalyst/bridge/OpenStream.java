package io.kafkalyst.bridge;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.ReportsSourceMetrics;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;

/** A stream that {@link RealTime} makes one with batches whose ends are open. */
public interface OpenStream extends MicroBatchStream, SupportsTriggerAvailableNow, ReportsSourceMetrics {

  /** Told before the first batch that all batches will be open. */
  void prepareOpen();

  /**
   * What tasks read until their batch's time is over.
   *
   * @param planned by Spark's own Kafka stream
   */
  InputPartition[] planOpen(InputPartition[] planned);
}
