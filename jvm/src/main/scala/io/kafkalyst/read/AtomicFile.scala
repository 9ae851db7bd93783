package io.kafkalyst.read

import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileAlreadyExistsException, Files, Paths, StandardCopyOption}
import java.util.UUID

import org.apache.hadoop.{fs => hadoop}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  CommonPathCapabilities,
  FileContext,
  FileSystem,
  Options,
  Path,
  UnsupportedFileSystemException
}

/** Small text files that are replaced atomically, and folders that only one of several concurrent creators gets. */
private[kafkalyst] object AtomicFile {

  /** The text; None if the file does not exist. */
  def read(path: Path, conf: Configuration): Option[String] = {
    val files = path.getFileSystem(conf)
    Option.when(files.exists(path)) {
      val in = files.open(path)
      try new String(in.readAllBytes(), UTF_8)
      finally in.close()
    }
  }

  /** Creates the folder; false if another process did before, or at the same moment. */
  def claim(folder: Path, conf: Configuration): Boolean = {
    val files = folder.getFileSystem(conf)
    val uri = files.makeQualified(folder).toUri
    try {
      // Hadoop's mkdirs does not report which caller created a folder.
      if (uri.getScheme == "file") {
        val local = Paths.get(uri.getPath)
        Files.createDirectories(local.getParent)
        Files.createDirectory(local)
        true
      } else if (files.exists(folder)) false
      else {
        // One of several creators of a new folder makes the file.
        files.create(new Path(folder, ".claimed"), false).close()
        true
      }
    } catch { case _: FileAlreadyExistsException | _: hadoop.FileAlreadyExistsException => false }
  }

  /** A reader sees either the old text or the new one, also while several applications write. */
  def write(path: Path, text: String, conf: Configuration): Unit = {
    val files = path.getFileSystem(conf)
    val uri = files.makeQualified(path).toUri
    val fresh = s".${path.getName}.${UUID.randomUUID()}.new"
    if (uri.getScheme == "file") {
      // Hadoop's rename first deletes the target, and keeps checksums in separate files.
      val to = Paths.get(uri.getPath)
      Files.createDirectories(to.getParent)
      val from = to.resolveSibling(fresh)
      try {
        Files.writeString(from, text)
        Files.deleteIfExists(to.resolveSibling(s".${path.getName}.crc"))
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING)
      } finally Files.deleteIfExists(from)
    } else replaces(files, path, uri, conf) match {
      case None => put(files, path, text)
      case Some(context) =>
        val from = new Path(path.getParent, fresh)
        try {
          put(files, from, text)
          context.rename(from, path, Options.Rename.OVERWRITE)
        } finally files.delete(from, false)
    }
    ()
  }

  /**
   * What renames a file over another one atomically. None for stores of objects: there a rename is a copy, and an object
   * appears when it is closed. File systems without Hadoop's AbstractFileSystem are such stores.
   */
  private def replaces(files: FileSystem, path: Path, uri: URI, conf: Configuration): Option[FileContext] =
    if (files.hasPathCapability(path, CommonPathCapabilities.ABORTABLE_STREAM)) None
    else
      try Some(FileContext.getFileContext(uri, conf))
      catch { case _: UnsupportedFileSystemException => None }

  private def put(files: FileSystem, path: Path, text: String): Unit = {
    val out = files.create(path, true)
    try out.write(text.getBytes(UTF_8))
    finally out.close()
  }
}
