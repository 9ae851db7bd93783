package io.kafkalyst.read

import java.net.URI
import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path, RawLocalFileSystem}
import org.scalatest.funsuite.AnyFunSuite

import scala.concurrent.{Await, Future}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._

class AtomicFileSuite extends AnyFunSuite {
  private val conf = new Configuration()

  private def folder = new Path(Files.createTempDirectory("kafkalyst").toUri)

  test("who reads in a tight loop always finds the whole text while it is replaced") {
    val path = new Path(folder, "deeper/status.json")
    val texts = Array("a" * 10, "b" * 20000)
    AtomicFile.write(path, texts(0), conf)
    val written = Future((1 to 3000).foreach(i => AtomicFile.write(path, texts(i % 2), conf)))
    var looks = 0
    while (!written.isCompleted) {
      assert(AtomicFile.read(path, conf).exists(texts.contains))
      looks += 1
    }
    Await.result(written, 1.minute)
    assert(looks > 0)
  }

  test("several writers do not disturb each other, and leave nothing beside the file") {
    val path = new Path(folder, "query.json")
    val texts = (1 to 4).map(i => i.toString * 20000 * i)
    val writers = texts.map(text => Future((1 to 300).foreach(_ => AtomicFile.write(path, text, conf))))
    val all = Future.sequence(writers)
    while (!all.isCompleted) assert(AtomicFile.read(path, conf).forall(texts.contains))
    Await.result(all, 1.minute)
    assert(path.getFileSystem(conf).listStatus(path.getParent).map(_.getPath.getName).toSeq == Seq("query.json"))
  }

  test("a file that is not there has no text, and no checksum is left beside one that is") {
    val path = new Path(folder, "status.json")
    assert(AtomicFile.read(path, conf).isEmpty)
    path.getFileSystem(conf).create(path).close()
    AtomicFile.write(path, "new", conf)
    assert(AtomicFile.read(path, conf).contains("new"))
    assert(path.getFileSystem(conf).listStatus(path.getParent).map(_.getPath.getName).toSeq == Seq("status.json"))
  }

  test("one of several creators gets a folder") {
    val root = folder
    for (i <- 1 to 50) {
      val claims = (1 to 8).map(_ => Future(AtomicFile.claim(new Path(root, s"deeper/CSAS_A_$i"), conf)))
      assert(Await.result(Future.sequence(claims), 1.minute).count(identity) == 1)
    }
  }

  test("so it is on file systems other than local ones") {
    // A file system of its own scheme, over local files.
    val other = new Configuration(conf)
    other.set("fs.AbstractFileSystem.viewfs.impl", "org.apache.hadoop.fs.viewfs.ViewFs")
    other.set("fs.viewfs.impl", "org.apache.hadoop.fs.viewfs.ViewFileSystem")
    other.set("fs.viewfs.mounttable.default.link./root", folder.toString)
    val path = new Path("viewfs:///root/CSAS_A_1")
    assert(AtomicFile.claim(path, other))
    assert(!AtomicFile.claim(path, other))
  }

  test("so it is on a store that Hadoop knows by its FileSystem only") {
    val store = new Configuration(conf)
    store.set("fs.objects.impl", classOf[ObjectsOnly].getName)
    val path = new Path(s"objects:${folder.toUri.getPath}/deeper/status.json")
    assert(AtomicFile.read(path, store).isEmpty)
    for (text <- Seq("first", "second")) {
      AtomicFile.write(path, text, store)
      assert(AtomicFile.read(path, store).contains(text))
    }
    assert(AtomicFile.claim(new Path(path.getParent, "CSAS_A_1"), store))
    assert(!AtomicFile.claim(new Path(path.getParent, "CSAS_A_1"), store))
    // A folder that somebody else made, with whatever is in it.
    path.getParent.getFileSystem(store).mkdirs(new Path(path.getParent.getParent, "theirs/offsets"))
    assert(!AtomicFile.claim(new Path(path.getParent.getParent, "theirs"), store))
    assert(path.getParent.getFileSystem(store).listStatus(path.getParent).map(_.getPath.getName).toSet ==
      Set("status.json", "CSAS_A_1"))
  }
}

/** Local files under a scheme without an AbstractFileSystem. */
final class ObjectsOnly extends RawLocalFileSystem {
  override def getScheme: String = "objects"
  override def getUri: URI = URI.create("objects:///")
}
