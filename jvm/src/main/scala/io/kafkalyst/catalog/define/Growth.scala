package io.kafkalyst.catalog
package define

import io.kafkalyst.clients.Recent
import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.formats.Formats
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.registry.{HttpRegistry, RegisteredSchema, RegistryAdmin, RegistryConfig, SessionRegistry, Subjects}
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.types._
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * The columns that an object with SCHEMA.EVOLUTION=add gains: the fields of each version of its value's subject after
 * the schema that it was defined with. They are not stored, but looked up whenever the object is loaded.
 */
private[kafkalyst] object Growth {
  private val log = LoggerFactory.getLogger("io.kafkalyst.catalog")
  // How long a registry that did not answer is not asked again: a statement loads an object several times.
  private val quietNanos = 10000000000L
  private val remembered = 1000

  /** The condition for a plan that lacks columns which its records may have. */
  val evolved: String = Conditions("SCHEMA_EVOLVED").name

  // By System.nanoTime.
  private val silent = new Recent[RegistryConfig, Long](remembered)

  /** The versions between two schemas of a subject never change. */
  private val between = new Recent[(RegistryConfig, String, Option[Int], Int), Seq[RegisteredSchema]](remembered)

  /** Why new fields of the object cannot become columns automatically; None if they can. */
  def fault(o: TopicObject): Option[String] =
    if (Formats(o.value.format).schemaType.isEmpty)
      Some(s"a record of ${o.value.format} has no schema that gives a new column its type; 'rescue' keeps new fields")
    else if (o.value.options.contains(SideFormat.givenId)) Some("VALUE_SCHEMA_ID says which columns there are")
    else if (!o.isOne) Some("an object over several topics has no subject whose versions could be followed")
    else None

  /**
   * The object with the current columns of its value's subject. A column whose type the schemas have widened, for
   * example from INT to BIGINT or by nested fields, has the wider type. If the registry does not answer, the object is
   * unchanged, and a stream fails at a record with other fields.
   */
  def of(o: TopicObject, settings: Settings): TopicObject =
    if (!Properties.isAdding(o)) o
    else
      SessionRegistry.of(settings).filterNot(isSilent).fold(o) { config =>
        try grown(o, newer(o, config), HttpRegistry(config), settings)
        catch {
          case NonFatal(e) =>
            silent.put(config, System.nanoTime())
            log.warn(s"new columns of topic ${o.topic} cannot be looked up: ${e.getMessage}")
            o
        }
      }

  /**
   * Checks, once the end of a stream's batch is known, that no record before it can have columns that the plan lacks:
   * writers register a schema before they write the first record with it.
   *
   * @param planned the object as [[of]] returned it for the plan
   * @throws io.kafkalyst.errors.KafkalystException SCHEMA_EVOLVED with the new columns
   */
  def check(name: String, planned: TopicObject, settings: Settings): Unit = if (Properties.isAdding(planned)) {
    val news = of(planned, settings).columns.filterNot(planned.columns.contains)
    if (news.nonEmpty) throw KafkalystException(
      "SCHEMA_EVOLVED",
      "object" -> name,
      "columns" -> news.map(c => s"${c.name} ${c.dataType.sql}").mkString(", ")
    )
  }

  /** The object for writing: with its subject's latest schema, if the schema has all of the object's columns. */
  def forWriting(o: TopicObject, settings: Settings): TopicObject =
    if (!Properties.isAdding(o)) o
    else
      SessionRegistry.of(settings).flatMap(config => latest(o, HttpRegistry(config))).filter { schema =>
        val there = Formats(o.value.format).columnsOf(schema, Side.Value, o.value).map(_.name)
        o.columns(Side.Value).forall(c => there.exists(_.equalsIgnoreCase(c.name)))
      }.fold(o)(schema => o.copy(value = o.value.copy(schemaId = Some(schema.id))))

  /**
   * The narrowest type that contains all values of both types; the first type if there is none. Uses Spark's rule for
   * numbers, not ksqlDB's [[io.kafkalyst.model.Widening]], because both types come from schemas and Spark reads them.
   */
  def wider(known: DataType, other: DataType): DataType = (known, other) match {
    case (a: StructType, b: StructType) =>
      val same = a.fields.map { f =>
        b.fields.find(_.name == f.name).fold(f)(g => f.copy(dataType = wider(f.dataType, g.dataType)))
      }
      StructType(same ++ b.fields.filterNot(f => a.fieldNames.contains(f.name)).map(_.copy(nullable = true)))
    case (a: ArrayType, b: ArrayType) => a.copy(elementType = wider(a.elementType, b.elementType))
    case (a: MapType, b: MapType) => a.copy(valueType = wider(a.valueType, b.valueType))
    case (_: NumericType, b: NumericType) if Cast.canUpCast(known, b) => b
    case _ => known
  }

  private def isSilent(config: RegistryConfig) =
    silent.get(config).exists(since => System.nanoTime() - since < quietNanos)

  private def latest(o: TopicObject, registry: RegistryAdmin): Option[RegisteredSchema] =
    registry.latest(subject(o, registry)).filter(s => Formats(o.value.format).schemaType.contains(s.schemaType))

  private def subject(o: TopicObject, registry: RegistryAdmin) =
    Subjects.of(
      Side.Value,
      o.topic,
      o.value,
      o.value.schemaId.flatMap(registry.byId).flatMap(s => Subjects.recordName(s.schemaType, s.schema))
    )

  /** The subject's versions after the object's schema, oldest first; all versions if that schema is not among them. */
  private def newer(o: TopicObject, config: RegistryConfig): Seq[RegisteredSchema] = {
    val (registry, base) = (HttpRegistry(config), o.value.schemaId)
    latest(o, registry).filterNot(l => base.contains(l.id)).fold(Seq.empty[RegisteredSchema]) { last =>
      val step = (config, last.subject, base, last.id)
      // Requests run outside of the map's lock, so that other objects do not wait for them.
      between.get(step).getOrElse {
        val before = registry.versions(last.subject).filter(_ < last.version).sorted.reverseIterator
        val versions = before.flatMap(registry.version(last.subject, _)).takeWhile(s => !base.contains(s.id))
        val all = (last +: versions.filter(_.schemaType == last.schemaType).toSeq).reverse
        between.put(step, all)
        all
      }
    }
  }

  private def grown(
      o: TopicObject,
      versions: Seq[RegisteredSchema],
      registry: RegistryAdmin,
      settings: Settings
  ): TopicObject = {
    val format = Formats(o.value.format)
    def columnsOf(s: RegisteredSchema) =
      Inference.named(format.columnsOf(s, Side.Value, Inference.asked(o.value, settings)), o.value, settings)
    // Fields of the first schema that the object's declaration left out are not new.
    lazy val undeclared = o.value.schemaId.flatMap(registry.byId).toSeq.flatMap(columnsOf).map(_.name)
    versions.foldLeft(o)((before, schema) => joined(before, columnsOf(schema), undeclared))
  }

  private def joined(o: TopicObject, found: Seq[TopicColumn], undeclared: Seq[String]): TopicObject = {
    val fresh = found.filterNot { c =>
      undeclared.contains(c.name) || o.columns.exists { k =>
        k.name.equalsIgnoreCase(c.name) && (o.isIn(k, Side.Value) || k.metadata.isDefined)
      }
    }
    val widened = o.columns.map { c =>
      if (!c.isIn(Side.Value)) c
      else found.find(_.name == c.name).fold(c)(f => c.copy(dataType = wider(c.dataType, f.dataType)))
    }
    o.copy(columns = widened ++ fresh)
  }
}
