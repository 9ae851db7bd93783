package io.kafkalyst.query
package push

import io.kafkalyst.clients.Uninterrupted
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.storage.StorageLevel

/**
 * The rows of a shown stream's batch, in the order of its partitions. The executors keep the batch, in memory and on
 * disk, until [[close]]; the driver holds about 3 * [[ShownBatch.most]] rows at a time.
 */
private[push] final class ShownBatch(batch: DataFrame) extends AutoCloseable {
  import ShownBatch._

  // A lost block fails the batch: computed again, its rows could be in another order than those already shown.
  private val kept = batch.queryExecution.toRdd.map(_.copy()).persist(StorageLevel.MEMORY_AND_DISK).localCheckpoint()

  /** The rows in parts of at most [[ShownBatch.most]]; none for an empty batch. Errors: as the query's. */
  def parts: Iterator[Array[InternalRow]] = rows(kept).grouped(most).map(_.toArray)

  // A reader that leaves interrupts the stream, perhaps only here.
  override def close(): Unit = Uninterrupted.repeated {
    kept.unpersist(blocking = false)
    ()
  }
}

private[push] object ShownBatch {

  /** How many rows a reader gets at a time. */
  val most = 10000

  /** All rows; those that are more than a part are fetched when the iterator comes to them. */
  private def rows(kept: RDD[InternalRow]): Iterator[InternalRow] = {
    val share = math.max(1, most / math.max(1, kept.getNumPartitions))
    // One job for all partitions; later jobs read what it has kept.
    val begun = kept.sparkContext.runJob(kept, first(share))
    val left = begun.map { case (rows, size) => size - rows.length }
    // Partitions of which no more than a part is left, together; a larger one is alone.
    val groups = Iterator.unfold(0)(from =>
      Option.when(from < left.length) {
        val sums = left.iterator.drop(from + 1).scanLeft(left(from))(_ + _)
        val end = from + math.max(1, sums.takeWhile(_ <= most).size)
        (from until end, end)
      }
    )
    groups.flatMap {
      case Seq(one) =>
        begun(one)._1.iterator ++ Iterator.range(share, begun(one)._2, most).flatMap { from =>
          kept.sparkContext.runJob(kept, slice(from), Seq(one)).head
        }
      case group =>
        val more = group.filter(left(_) > 0)
        val rest: Map[Int, Array[InternalRow]] =
          if (more.isEmpty) Map.empty else more.zip(kept.sparkContext.runJob(kept, slice(share), more)).toMap
        group.iterator.flatMap(p => begun(p)._1.iterator ++ rest.get(p).iterator.flatten)
    }
  }

  // Without a reference to a batch, which tasks cannot have.
  private def first(share: Int): Iterator[InternalRow] => (Array[InternalRow], Int) = all => {
    val rows = all.take(share).toArray
    (rows, rows.length + all.size)
  }

  private def slice(from: Int): Iterator[InternalRow] => Array[InternalRow] = _.slice(from, from + most).toArray
}
