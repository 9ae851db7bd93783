package io.kafkalyst.registry

import scala.collection.mutable

import io.kafkalyst.errors.KafkalystException

/** Resolves the references of a schema. Pure: the registry is accessed through a function. */
object SchemaReferences {

  /** Maximum depth of nested references; registries' own limits are lower. */
  val deepest = 64

  /**
   * All direct and indirect imports of a schema, each after its own imports. If a name occurs twice, the first meaning
   * wins.
   *
   * @param schema for messages, such as `subject orders-value, version 3`
   * @param find   the schema of a subject's version with its direct references; None if there is none
   * @throws io.kafkalyst.errors.KafkalystException SCHEMA_REFERENCE_CYCLE, SCHEMA_REFERENCE_NOT_FOUND, or
   * SCHEMA_REFERENCES_TOO_DEEP
   */
  def closure(schema: String, direct: Seq[SubjectReference])(
      find: SubjectReference => Option[RegisteredSchema]
  ): Seq[SchemaReference] = {
    val done = mutable.LinkedHashMap.empty[String, SchemaReference]
    def shown(r: SubjectReference) = s"${r.name} (subject ${r.subject}, version ${r.version})"
    def visit(reference: SubjectReference, above: List[SubjectReference]): Unit = {
      if (above.exists(r => r.subject == reference.subject && r.version == reference.version)) {
        val path = (reference :: above).reverse.map(shown).mkString(" → ")
        throw KafkalystException("SCHEMA_REFERENCE_CYCLE", "schema" -> schema, "path" -> path)
      }
      if (!done.contains(reference.name)) {
        if (above.size >= deepest) {
          throw KafkalystException("SCHEMA_REFERENCES_TOO_DEEP", "schema" -> schema, "limit" -> deepest.toString)
        }
        val found = find(reference).getOrElse {
          throw KafkalystException("SCHEMA_REFERENCE_NOT_FOUND", "schema" -> schema, "reference" -> shown(reference))
        }
        found.imports.foreach(visit(_, reference :: above))
        done.put(reference.name, SchemaReference(reference.name, found.schema))
      }
    }
    direct.foreach(visit(_, Nil))
    done.values.toSeq
  }
}
