package io.kafkalyst.read

import io.kafkalyst.metadata.SumMetric

/** Records fetched from the broker, including skipped ones. */
final class FetchedRecordsMetric extends SumMetric(FetchedRecordsMetric.metric, "number of records read")

/** Records without a row because of the property SCAN.EMPTY-RECORDS. */
final class DroppedRecordsMetric
    extends SumMetric(DroppedRecordsMetric.metric, "number of records left out, as they have no key or no value")

object DroppedRecordsMetric {
  val metric = "recordsDropped"
}

object FetchedRecordsMetric {
  val metric = "recordsFetched"
}

/** Records that could not be decoded and did not fail the read. */
final class BadRecordsMetric extends SumMetric(BadRecordsMetric.metric, "number of records that could not be decoded")

object BadRecordsMetric {
  val metric = "badRecords"
}
