package io.kafkalyst.read
package offsets

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

/** Topics' ids, stored as a file beside a checkpoint. */
private[kafkalyst] final class StoredTopicIds(val path: Path, conf: Configuration) {
  private var known = AtomicFile.read(path, conf).fold(SortedMap.empty[String, String]) { text =>
    SortedMap.from(StoredTopicIds.mapper.readTree(text).fields.asScala.map(e => e.getKey -> e.getValue.asText))
  }

  /** The stored ids by topic. */
  def all: SortedMap[String, String] = known

  /** Stores ids that are new or have changed. */
  def put(ids: Iterable[(String, String)]): Unit = {
    val more = known ++ ids
    if (more != known) {
      AtomicFile.write(path, StoredTopicIds.mapper.writeValueAsString(more.asJava), conf)
      known = more
    }
  }
}

private object StoredTopicIds {
  private val mapper = new ObjectMapper()
}
