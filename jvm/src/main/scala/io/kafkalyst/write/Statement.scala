package io.kafkalyst.write

import java.io.IOException
import java.nio.channels.{Channels, FileChannel, FileLock}
import java.nio.file.{Files, LinkOption, Path, Paths}
import java.nio.file.StandardOpenOption.{CREATE_NEW, READ, WRITE}
import java.nio.file.attribute.PosixFilePermissions
import java.util.{EnumSet, Properties => Notes}
import java.util.concurrent.ConcurrentHashMap

import io.kafkalyst.clients.Uninterrupted
import org.apache.kafka.clients.CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG
import org.slf4j.LoggerFactory

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

/**
 * A batch statement that writes exactly once, from the driver's view. When it ends, its mark and transaction at the
 * broker are cleaned up; if its process dies, the next such statement of the same user on the same machine does this.
 */
private[write] final class Statement private (write: ExactlyOnce, note: Option[Note]) {

  /**
   * Called after all rows are committed: removes the mark and the note.
   *
   * @param alone whether no later attempt of a task needs the mark
   */
  def committed(alone: Boolean): Unit = Statement.tolerant(s"the mark of ${write.query}") {
    note.foreach(_.remove())
    if (alone) Marks.of(write.properties).forget(write.group(0))
  }

  /** Aborts transactions of tasks whose executors are gone, so that readers do not wait for them. */
  def failed(): Unit = Statement.tolerant(s"the transaction of ${write.query}") {
    val marks = Marks.of(write.properties)
    Uninterrupted {
      marks.abandon(write.ids(0))
      if (marks.of(Seq(write.group(0)), write.topic).exists(_.isOurs)) {
        Statement.log.warn(s"A statement failed after its rows were committed: they are in topic ${write.topic}")
        marks.forget(write.group(0))
      }
    }
    note.foreach(_.remove())
  }
}

private[write] object Statement {
  private val log = LoggerFactory.getLogger("io.kafkalyst.write")

  /**
   * Cleans up after statements that died, and registers this one. Each file of a dead statement has one owner, so
   * statements of other clusters do not wait for brokers that are slow.
   */
  def begin(write: ExactlyOnce): Statement = {
    tolerant("what statements left that died") {
      val (near, far) = Note.ofTheDead.partition(_.brokers == write.properties.get(BOOTSTRAP_SERVERS_CONFIG))
      far.foreach(_.release())
      near.foreach(note => tolerant("what a statement left that died")(clear(note, write.properties)))
    }
    new Statement(write, Note.of(write))
  }

  private def clear(note: Note, properties: Map[String, String]): Unit =
    try {
      val marks = Marks.of(properties)
      for (query <- note.query; topic <- note.topic) {
        marks.abandon(ExactlyOnce.everyId(query, topic, 0))
        marks.forget(ExactlyOnce.group(query, topic, 0))
        log.info(s"A statement that wrote to topic $topic died; its transaction is ended")
      }
      note.remove()
    } finally note.release()

  /** Ignores failures: Kafka's own timeouts end what cannot be cleaned up, so a failed clean-up fails no statement. */
  private def tolerant(what: String)(work: => Unit): Unit =
    try work
    catch { case NonFatal(e) => log.info(s"$what could not be cleared at the broker: ${e.getMessage}") }
}

/**
 * A file that names the statement that its process runs. Its lock ends with the process, however the process ends, so a
 * file without a lock belongs to a dead statement.
 */
private final class Note private (path: Path, channel: FileChannel, lock: FileLock) {
  private lazy val text = {
    val notes = new Notes()
    notes.load(Channels.newInputStream(channel.position(0)))
    notes
  }

  private def said(name: String) = Option(text.getProperty(name))

  def query: Option[String] = said("query")
  def topic: Option[String] = said("topic")
  def brokers: Option[String] = said("brokers")

  def remove(): Unit = {
    Files.deleteIfExists(path)
    release()
  }

  def release(): Unit = if (lock.isValid) {
    channel.close()
    Note.held.remove(path)
    ()
  }

  private def say(write: ExactlyOnce): Unit = {
    val notes = new Notes()
    notes.setProperty("query", write.query)
    notes.setProperty("topic", write.topic)
    notes.setProperty("brokers", write.properties.getOrElse(BOOTSTRAP_SERVERS_CONFIG, ""))
    notes.store(Channels.newOutputStream(channel), null)
  }
}

private object Note {
  private val log = LoggerFactory.getLogger("io.kafkalyst.write")
  private val user = System.getProperty("user.name")
  private val ending = ".statement"

  private def onlyOwner(rights: String) = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(rights))

  // The files that this process has opened: closing a file releases all locks of the process on it.
  private val held = ConcurrentHashMap.newKeySet[Path]()

  /** The user's own folder; None if the file system does not support it or another user owns the path. */
  private lazy val folder: Option[Path] =
    try {
      val path = Paths.get(System.getProperty("java.io.tmpdir"), s"kafkalyst-$user")
      val own = onlyOwner("rwx------")
      if (!Files.exists(path)) Files.createDirectory(path, own)
      Option.when(
        Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) && Files.getOwner(path).getName == user &&
          Files.getPosixFilePermissions(path) == own.value
      )(path)
    } catch {
      case NonFatal(e) =>
        log.warn(s"If this process dies, its exactly-once statements are not cleaned up: ${e.getMessage}")
        None
    }

  /** The statement's locked file; None if it cannot be written. */
  def of(write: ExactlyOnce): Option[Note] =
    try
      folder.map { path =>
        val file = path.resolve(write.query + ending)
        held.add(file)
        val channel = FileChannel.open(file, EnumSet.of(CREATE_NEW, READ, WRITE), onlyOwner("rw-------"))
        val note = new Note(file, channel, channel.lock())
        note.say(write)
        note
      }
    catch {
      case NonFatal(e) =>
        log.warn(s"If this process dies, the statement ${write.query} is not cleaned up: ${e.getMessage}")
        None
    }

  /** The files of statements that died, locked for the caller. */
  def ofTheDead: Seq[Note] = {
    val notes = folder.toSeq.flatMap(path => Using.resource(Files.list(path))(_.iterator().asScala.toSeq))
      .filter(path => path.toString.endsWith(ending) && held.add(path)).flatMap(locked)
    val (told, begun) = notes.partition(_.query.isDefined)
    begun.foreach(_.release())
    told
  }

  private def locked(path: Path): Option[Note] = {
    val note =
      try {
        val channel = FileChannel.open(path, READ, WRITE)
        val lock = Option(channel.tryLock())
        if (lock.isEmpty) channel.close()
        lock.map(new Note(path, channel, _))
      } catch { case _: IOException => None }
    if (note.isEmpty) held.remove(path)
    note
  }
}
