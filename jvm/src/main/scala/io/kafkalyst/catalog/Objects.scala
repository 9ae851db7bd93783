package io.kafkalyst.catalog

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.TopicObject

/** A store of objects, looked up by full names. */
private[kafkalyst] trait Objects {

  /** The exact object's name, else the name of an object that differs only in case, else the given name. */
  def placed(name: ObjectName): ObjectName

  /** Like [[placed]], for an object to be created. */
  def placedNew(name: ObjectName): ObjectName

  /** The object with that name; None if there is nothing, a view, or another provider's table. */
  def find(name: ObjectName): Option[StoredObject]

  /** As [[find]]; properties that the statement gives may be those that the columns cannot be known without. */
  def find(name: ObjectName, said: => Map[String, String]): Option[StoredObject] = find(name)

  /** The object under exactly this name; None as in [[find]]. */
  def at(name: ObjectName): Option[StoredObject]

  /** Whether there is any table or view with that name. */
  def isThere(name: ObjectName): Boolean

  /** What is stored under the name: "STREAM", "TABLE", "VIEW" or a provider's table. */
  def kindAt(name: ObjectName): Option[String]

  /** All objects of a database, or under a prefix of topic names. */
  def list(in: String): Seq[StoredObject]

  def listAll(): Seq[StoredObject]

  /** Names of everything readable there, of any provider. */
  def sources(in: String): Seq[String]

  /** @param more properties beside those of the definition */
  def create(name: ObjectName, topic: TopicObject, more: Map[String, String]): Unit

  /**
   * Replaces the definition that was read.
   *
   * @return false, without a change, if another application has changed it since
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

  def unsetProperties(name: ObjectName, properties: Seq[String]): Unit

  def drop(name: ObjectName): Unit

  /** Gives an object another name; Spark's error if it is taken. */
  def rename(from: ObjectName, to: ObjectName): Unit

  /** Whether it has a definition, which can be dropped. */
  def keeps(name: ObjectName): Boolean

  /** Drops its cached state, so that the next use reads it again. */
  def forget(name: ObjectName): Unit
}

private[catalog] object Objects {

  /** None for an entry without a complete definition, which Spark's CREATE TABLE … USING without a topic leaves. */
  def readable(found: => Option[StoredObject]): Option[StoredObject] =
    try found
    catch { case _: KafkalystException => None }
}
