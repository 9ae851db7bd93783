package io.kafkalyst.registry

/** A schema as the registry holds it. `schemaType` is AVRO, JSON or PROTOBUF. */
final case class RegisteredSchema(
    id: Int,
    schemaType: String,
    schema: String,
    subject: String = "",
    version: Int = 0,
    references: Seq[SchemaReference] = Nil
)

/** A schema that another one imports under a name; in a list each stands behind those that it needs itself. */
final case class SchemaReference(name: String, schema: String)

/**
 * What the product asks of a schema registry: Confluent's REST API as Confluent, Apicurio (ccompat), Karapace
 * and Redpanda speak it. Every call ends within the configured time limit.
 *
 * Errors: KafkalystException REGISTRY_UNREACHABLE where nobody answers in time, REGISTRY_ERROR for an answer
 * that is neither the schema nor "not found".
 */
trait RegistryClient {

  /** The latest version under a subject; None where the subject does not exist. */
  def latest(subject: String): Option[RegisteredSchema]

  /** The schema of an id, cached for ever; None where the registry does not know it. */
  def byId(id: Int): Option[RegisteredSchema]

  /**
   * Registers a schema and returns its id; the same schema again gives the same id.
   *
   * @throws io.kafkalyst.errors.KafkalystException SCHEMA_REFUSED where it is incompatible (409) or invalid (422)
   */
  def register(subject: String, schema: String, schemaType: String): Int

  /** Whether the subject exists. */
  def exists(subject: String): Boolean = latest(subject).isDefined

  /** Deletes a subject with all its versions, soft and hard; nothing where it does not exist. */
  def delete(subject: String): Unit
}

/** Where the registry is. Serialisable, so that tasks build their own client from it. */
final case class RegistryConfig(url: String, timeoutMs: Int = 10000)
