package io.kafkalyst.query
package lease

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import io.kafkalyst.read.AtomicFile
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

import scala.annotation.tailrec

/**
 * The one query that writes into a table, for all applications with the same checkpoint root. A query makes the folder
 * with the next number, which only one application can, and puts its checkpoint into it. The owner of the highest
 * number writes. Folders are never locked, so an application that dies or is suspended stops no other.
 */
private[kafkalyst] object SoleWriter {
  private val patienceMs = 10000L

  /**
   * Call when the query's record is stored: another query that begins at the same moment looks for it.
   *
   * @param checkpoint of the query that is to write
   * @return None if it is the one that writes from now on; otherwise the one that does
   */
  @tailrec def other(session: SparkSession, table: SinkName.OfTable, checkpoint: String): Option[ContinuousQuery] = {
    val claims = new Claims(session, table)
    def writing(number: Int) = claims.owner(number).filter(_ != checkpoint).flatMap { of =>
      ContinuousQueries.all(session).find(q => q.isWanted && q.sink == table && q.checkpoint == of)
    }
    val all = claims.numbers
    val last = all.maxOption
    last.foreach(claims.await)
    // Not only the last one: its application may have died before it said so.
    val there = all.flatMap(writing(_)).headOption
    if (there.isDefined || last.exists(claims.owner(_).contains(checkpoint))) there
    else {
      val next = last.getOrElse(0) + 1
      if (!claims.make(next)) other(session, table, checkpoint)
      else {
        // One that was slow may have become the owner meanwhile.
        val first = claims.numbers.filter(_ < next).flatMap(writing(_)).headOption
        if (first.isDefined) {
          claims.delete(next)
          first
        } else {
          claims.own(next, checkpoint)
          val numbers = claims.numbers
          if (numbers.max > next) other(session, table, checkpoint)
          else {
            numbers.filter(_ < next).foreach(claims.delete)
            None
          }
        }
      }
    }
  }

  private final class Claims(session: SparkSession, table: SinkName.OfTable) {
    private val conf = session.sessionState.newHadoopConf()
    private val name = UUID.nameUUIDFromBytes(table.toString.getBytes(UTF_8)).toString
    private val folder = new Path(new Path(RecordFiles.root(session), "_writers"), name)
    private val files = folder.getFileSystem(conf)

    def numbers: Seq[Int] =
      if (files.exists(folder)) files.listStatus(folder).toSeq.flatMap(_.getPath.getName.toIntOption) else Nil

    def make(number: Int): Boolean = AtomicFile.claim(at(number), conf)
    def own(number: Int, checkpoint: String): Unit = AtomicFile.write(ownerOf(number), checkpoint, conf)
    def owner(number: Int): Option[String] = AtomicFile.read(ownerOf(number), conf)

    def delete(number: Int): Unit = {
      files.delete(at(number), true)
      ()
    }

    /** Waits for the owner of a folder that another application has just made; a dead one never tells it. */
    def await(number: Int): Unit = {
      val end = System.nanoTime() + patienceMs * 1000000
      while (owner(number).isEmpty && files.exists(at(number)) && System.nanoTime() < end) Thread.sleep(20)
    }

    private def at(number: Int) = new Path(folder, number.toString)
    private def ownerOf(number: Int) = new Path(at(number), "owner")
  }
}
