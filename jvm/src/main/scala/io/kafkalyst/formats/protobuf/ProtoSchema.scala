package io.kafkalyst.formats
package protobuf

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

import io.kafkalyst.registry.{RegisteredSchema, SchemaReference}

/**
 * A `.proto` text with its imports, names resolved.
 *
 * @param file    the text itself
 * @param imports all direct and indirect imports
 * @param missing unknown imports; an error only if one of their types is used
 */
private[formats] final class ProtoSchema(val file: ProtoFile, imports: Seq[ProtoFile], missing: Seq[String]) {
  private val messages = mutable.Map.empty[String, ProtoMessage]
  private val enums = mutable.Map.empty[String, ProtoEnum]

  (file +: imports).foreach { f =>
    val scope = if (f.packageName.isEmpty) "" else f.packageName + "."
    def enter(message: ProtoMessage): Unit = {
      messages.getOrElseUpdate(message.fullName, message)
      message.enums.foreach(e => enums.getOrElseUpdate(s"${message.fullName}.${e.name}", e))
      message.messages.foreach(enter)
    }
    f.messages.foreach(enter)
    f.enums.foreach(e => enums.getOrElseUpdate(scope + e.name, e))
  }

  /** Full names of the text's own messages, including nested ones. */
  def names: Seq[String] = {
    def within(message: ProtoMessage): Seq[ProtoMessage] = message +: message.messages.toSeq.flatMap(within)
    file.messages.toSeq.flatMap(within).map(_.fullName)
  }

  /** One of the text's own messages by its full name. */
  def message(fullName: String): Option[ProtoMessage] = messages.get(fullName).filter(_.file eq file)

  /** The message at the wire format's indexes. */
  def at(indexes: Seq[Int]): Option[ProtoMessage] = {
    val top = file.messages.lift(indexes.head)
    indexes.tail.foldLeft(top)((found, index) => found.flatMap(_.messages.lift(index)))
  }

  /** The type of a message's field; of an element if it is repeated. Errors: [[BadProto]] for an unknown name. */
  def typeOf(owner: ProtoMessage, field: ProtoField): ProtoType =
    if (field.isGroup) ProtoGroup
    else
      field.mapKey match {
        case None =>
          resolve(owner, field) match {
            case _: ProtoMessage if field.isDelimited => ProtoGroup
            case other => other
          }
        case Some(key) =>
          val known = ProtoScalar.of(key).filterNot(k => Set("double", "float", "bytes")(k.name))
          ProtoMap(
            known.getOrElse(throw new BadProto(s"the field ${field.name} of ${owner.fullName} is a map of $key keys")),
            resolve(owner, field)
          )
      }

  import ProtoSchema.{longestName, mostParts}

  private def resolve(owner: ProtoMessage, field: ProtoField): ProtoType = {
    val name = field.typeName
    // Each part of the name is a scope that is searched, for each field.
    if (owner.fullName.length > longestName || owner.fullName.count(_ == '.') > mostParts) throw new BadProto(
      s"the name ${owner.fullName.take(100)}… is longer than $longestName characters or $mostParts parts"
    )
    def known(full: String): Option[ProtoType] = messages.get(full).orElse(enums.get(full))
    val scalar = ProtoScalar.of(name)
    if (scalar.isDefined) scalar.get
    else if (name.startsWith(".")) known(name.substring(1)).getOrElse(unknown(owner, field))
    else {
      // From the message outwards, as in C++.
      val scopes = Iterator.iterate(owner.fullName)(s => s.substring(0, math.max(0, s.lastIndexOf('.'))))
      val tried = scopes.takeWhile(_.nonEmpty).map(_ + "." + name) ++ Iterator(name)
      tried.flatMap(known).nextOption().getOrElse(unknown(owner, field))
    }
  }

  private def unknown(owner: ProtoMessage, field: ProtoField): Nothing = {
    val imports = if (missing.isEmpty) "" else s"; the imports ${missing.mkString(", ")} are not in the registry"
    throw new BadProto(s"the field ${field.name} of ${owner.fullName} has the unknown type ${field.typeName}$imports")
  }
}

private[formats] object ProtoSchema {
  private val longestName = 2000
  private val mostParts = 100

  /** As [[parse]] for a registered schema; Left if it has another type or is invalid. */
  def of(known: RegisteredSchema): Either[String, ProtoSchema] =
    if (known.schemaType != "PROTOBUF") Left(s"schema id ${known.id} is of type ${known.schemaType}, not PROTOBUF")
    else {
      try Right(parse(known.schema, known.references))
      catch { case bad: BadProto => Left(s"schema id ${known.id} is not a valid Protobuf schema: ${bad.reason}") }
    }

  /** From a `.proto` text, or its compiled form. Errors: [[BadProto]]. */
  def parse(text: String, references: Seq[SchemaReference] = Nil): ProtoSchema = {
    val given = references.map(r => r.name -> r.schema).toMap
    val main = read(text)
    val seen = mutable.LinkedHashMap.empty[String, Option[ProtoFile]]
    val open = mutable.Queue.from(main.imports)
    while (open.nonEmpty) {
      val path = open.dequeue()
      if (!seen.contains(path)) {
        val found = given.get(path).orElse(builtIn(path)).map { imported =>
          try read(imported)
          catch { case bad: BadProto => throw new BadProto(s"in the import $path, ${bad.reason}") }
        }
        seen += path -> found
        open ++= found.toSeq.flatMap(_.imports)
      }
    }
    new ProtoSchema(main, seen.values.flatten.toSeq, seen.collect { case (path, None) => path }.toSeq)
  }

  private def read(text: String): ProtoFile =
    ProtoDescriptors.parse(text).getOrElse(new ProtoParser(text).parse())

  /** Imports that need no registration: those of every Protobuf compiler, Google's common types, and Confluent's. */
  private def builtIn(path: String): Option[String] =
    if (!path.matches("(google|confluent)/[a-z_/]+\\.proto")) None
    else
      Option(getClass.getResourceAsStream(s"/proto/$path")).map { in =>
        try new String(in.readAllBytes(), UTF_8)
        finally in.close()
      }
}
