package io.kafkalyst.read

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths, StandardCopyOption}
import java.util.EnumSet

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{CreateFlag, FileContext, Options, Path}

/** A small text file that is replaced atomically: a reader sees either the old text or the new one. */
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

  def write(path: Path, text: String, conf: Configuration): Unit = {
    val files = path.getFileSystem(conf)
    val uri = files.makeQualified(path).toUri
    val fresh = new Path(path.getParent, s".${path.getName}.new")
    if (uri.getScheme == "file") {
      // Hadoop's rename first deletes the target, and keeps checksums in separate files.
      val to = Paths.get(uri.getPath)
      Files.createDirectories(to.getParent)
      val from = to.resolveSibling(fresh.getName)
      Files.writeString(from, text)
      Files.deleteIfExists(to.resolveSibling(s".${path.getName}.crc"))
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING)
    } else {
      val context = FileContext.getFileContext(uri, conf)
      val out = context.create(
        fresh,
        EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE),
        Options.CreateOpts.createParent()
      )
      try out.write(text.getBytes(UTF_8))
      finally out.close()
      context.rename(fresh, path, Options.Rename.OVERWRITE)
    }
    ()
  }
}
