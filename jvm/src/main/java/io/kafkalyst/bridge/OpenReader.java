package io.kafkalyst.bridge;

import java.io.IOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;

/** A reader that waits for records that are still to come. */
public interface OpenReader extends PartitionReader<InternalRow> {

  /** Goes on to the next row; false where none has come within so many milliseconds. */
  boolean nextWithin(long millis) throws IOException;

  /** The offset behind all records whose rows were given, once all that was done with them is safe. */
  PartitionOffset reached();
}
