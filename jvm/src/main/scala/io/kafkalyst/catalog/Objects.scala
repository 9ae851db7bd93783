package io.kafkalyst.catalog

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.TopicObject

/** A store of objects, looked up by full names. */
private[kafkalyst] trait Objects {

  /** The exact object's name, else the name of an object that differs only in case, else the given name. */
  def placed(name: ObjectName): ObjectName

  /** Like [[placed]], for an object to be created. */
  def placedNew(name: ObjectName): ObjectName

  /** The object with that name; None for a view, another provider's table, or an unknown name. */
  def find(name: ObjectName): Option[StoredObject]

  /** Like [[find]]; `said` has properties of the statement, because a topic's columns may depend on them. */
  def find(name: ObjectName, said: => Map[String, String]): Option[StoredObject] = find(name)

  /** The object under exactly this name; None as in [[find]]. */
  def at(name: ObjectName): Option[StoredObject]

  /** Whether a table or view of that name exists. */
  def isThere(name: ObjectName): Boolean

  /** Whether the catalog was read and has no such entry; false if this is unknown, as without rights to read it. */
  def isGone(name: ObjectName): Boolean = kindAt(name).isEmpty

  /** The kind of the entry: "STREAM", "TABLE", "VIEW" or a provider's table. */
  def kindAt(name: ObjectName): Option[String]

  /** All objects of a database, or under a prefix of topic names. */
  def list(in: String): Seq[StoredObject]

  def listAll(): Seq[StoredObject]

  /** Names of all readable tables and views there, of any provider. */
  def sources(in: String): Seq[String]

  /** @param more properties in addition to the definition's */
  def create(name: ObjectName, topic: TopicObject, more: Map[String, String]): Unit

  /**
   * Replaces the definition that was read.
   *
   * @return false, without a change, if another application has changed the definition since
   */
  def replace(before: StoredObject, topic: TopicObject, more: Map[String, String]): Boolean

  /** Adds or changes properties of an entry. */
  def setProperties(name: ObjectName, properties: Map[String, String]): Unit

  /**
   * The same, if its present properties are as expected.
   *
   * @param expected is asked while nobody else changes the entry
   * @return false, without a change, if they are not, or if there is no such entry
   */
  def setProperties(
      name: ObjectName,
      properties: Map[String, String],
      expected: Map[String, String] => Boolean
  ): Boolean

  /** Removes properties of an entry; a definition in a cluster may be gone by then. */
  def unsetProperties(name: ObjectName, properties: Seq[String]): Unit

  def drop(name: ObjectName): Unit

  /** Renames an object; Spark's error if the name is taken. */
  def rename(from: ObjectName, to: ObjectName): Unit

  /** Whether the object has a definition, which can be dropped. */
  def keeps(name: ObjectName): Boolean

  /** Drops the object's cached state, so that the next use reads it again. */
  def forget(name: ObjectName): Unit
}

private[catalog] object Objects {

  /** None for an entry without a complete definition, as Spark's CREATE TABLE … USING without a topic creates it. */
  def readable(found: => Option[StoredObject]): Option[StoredObject] =
    try found
    catch { case _: KafkalystException => None }
}
