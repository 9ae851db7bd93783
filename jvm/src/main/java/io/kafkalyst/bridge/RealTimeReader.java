package io.kafkalyst.bridge;

import java.io.IOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;

/** A reader of an open batch, for both Spark 4.1 and Spark 4.2. */
final class RealTimeReader implements SupportsRealTimeRead<InternalRow> {
  private final OpenReader reader;

  RealTimeReader(OpenReader reader) {
    this.reader = reader;
  }

  @Override
  public RecordStatus nextWithTimeout(Long startMillis, Long millis) throws IOException {
    return nextWithTimeout(millis);
  }

  // The method's signature in Spark 4.1.
  public RecordStatus nextWithTimeout(Long millis) throws IOException {
    return RecordStatus.newStatusWithoutArrivalTime(reader.nextWithin(millis));
  }

  @Override
  public PartitionOffset getOffset() {
    return reader.reached();
  }

  @Override
  public boolean next() throws IOException {
    return reader.next();
  }

  @Override
  public InternalRow get() {
    return reader.get();
  }

  @Override
  public CustomTaskMetric[] currentMetricsValues() {
    return reader.currentMetricsValues();
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
