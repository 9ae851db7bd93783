package io.kafkalyst.bridge;

import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.ReportsSourceMetrics;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;

/**
 * A stream for any trigger: in real-time mode with the offsets of Spark's own Kafka stream, else as the underlying
 * stream.
 */
final class RealTimeStream
    implements MicroBatchStream, SupportsTriggerAvailableNow, ReportsSourceMetrics, SupportsRealTimeMode {
  private final OpenStream stream;
  private final SupportsRealTimeMode kafka;

  RealTimeStream(OpenStream stream, SupportsRealTimeMode kafka) {
    this.stream = stream;
    this.kafka = kafka;
  }

  @Override
  public void prepareForRealTimeMode() {
    kafka.prepareForRealTimeMode();
    stream.prepareOpen();
  }

  @Override
  public InputPartition[] planInputPartitions(Offset start) {
    return stream.planOpen(kafka.planInputPartitions(start));
  }

  @Override
  public Offset mergeOffsets(PartitionOffset[] offsets) {
    return kafka.mergeOffsets(offsets);
  }

  @Override
  public InputPartition[] planInputPartitions(Offset start, Offset end) {
    return stream.planInputPartitions(start, end);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return stream.createReaderFactory();
  }

  @Override
  public Offset initialOffset() {
    return stream.initialOffset();
  }

  @Override
  public Offset deserializeOffset(String json) {
    return stream.deserializeOffset(json);
  }

  @Override
  public Offset latestOffset() {
    return stream.latestOffset();
  }

  @Override
  public Offset latestOffset(Offset start, ReadLimit limit) {
    return stream.latestOffset(start, limit);
  }

  @Override
  public Offset reportLatestOffset() {
    return stream.reportLatestOffset();
  }

  @Override
  public ReadLimit getDefaultReadLimit() {
    return stream.getDefaultReadLimit();
  }

  @Override
  public void prepareForTriggerAvailableNow() {
    stream.prepareForTriggerAvailableNow();
  }

  @Override
  public Map<String, String> metrics(Optional<Offset> latest) {
    return stream.metrics(latest);
  }

  @Override
  public void commit(Offset end) {
    stream.commit(end);
  }

  @Override
  public void stop() {
    stream.stop();
  }

  @Override
  public String toString() {
    return stream.toString();
  }
}
