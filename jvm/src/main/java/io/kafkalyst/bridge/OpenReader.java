package io.kafkalyst.bridge;

import java.io.IOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;

/** A reader that waits for new records. */
public interface OpenReader extends PartitionReader<InternalRow> {

  /** Advances to the next row; false if none arrives within this many milliseconds. */
  boolean nextWithin(long millis) throws IOException;

  /** The offset after all records whose rows were returned, once all of their side effects are stored. */
  PartitionOffset reached();
}
