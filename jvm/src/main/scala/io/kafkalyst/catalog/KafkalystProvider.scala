package io.kafkalyst.catalog

import java.{util => ju}
import java.util.Locale

import io.kafkalyst.catalog.define.ObjectDefinition
import io.kafkalyst.clients.Connector
import io.kafkalyst.model._
import io.kafkalyst.names.InternalSchema
import org.apache.spark.sql.connector.catalog.{Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters._

/**
 * The data source `kafkalyst`. It receives the properties of a catalog entry or of `spark.read.format("kafkalyst")`:
 * either a complete definition as written by [[ObjectCodec]], or a user's WITH properties as options.
 */
final class KafkalystProvider extends TableProvider with DataSourceRegister {
  override def shortName(): String = TopicSource.name

  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = {
    Connector.require()
    val properties = options.asScala.toMap
    ObjectCodec.schemaIn(properties).getOrElse {
      InternalSchema.of(KafkalystProvider.defined(properties, Nil).columns)
    }
  }

  override def getTable(schema: StructType, partitioning: Array[Transform], given: ju.Map[String, String]): Table = {
    Connector.require()
    val properties = given.asScala.map { case (k, v) => k.toLowerCase(Locale.ROOT) -> v }.toMap
    val topic =
      // A stream's writer passes the schema of its rows, which may have more columns than the object.
      if (ObjectCodec.isWhole(properties))
        ObjectCodec.decode(ObjectCodec.schemaIn(properties).getOrElse(schema), properties)
      else KafkalystProvider.defined(properties, schema.map(TopicColumn.of))
    new TopicTable(properties.getOrElse(TopicSource.nameOption, topic.topic), topic, TopicSource.settings)
  }
}

object KafkalystProvider {
  private def defined(options: Map[String, String], declared: Seq[TopicColumn]): TopicObject = {
    // Spark adds names of its own (path, provider, option.…), so only Kafkalyst's are checked.
    val ours = options.filter { case (k, _) =>
      Properties.all.exists(_.name.equalsIgnoreCase(k)) || Properties.isKept(k.toUpperCase(Locale.ROOT))
    }
    val current = TopicSource.settings()
    ObjectDefinition.of(
      ObjectKind.Stream,
      ObjectDefinition.withDefaults(Properties.checked(ours.toSeq), current),
      declared,
      current,
      () => ObjectDefinition.registry(current),
      asDeclared = true
    )
  }
}
