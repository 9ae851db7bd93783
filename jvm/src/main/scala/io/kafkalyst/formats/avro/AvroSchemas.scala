package io.kafkalyst.formats
package avro

import java.util.Locale

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.{ArrayNode, JsonNodeFactory, ObjectNode}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TimeOfDay, TopicColumn}
import io.kafkalyst.model.flink.FlinkProperties
import io.kafkalyst.registry.RegisteredSchema
import org.apache.avro.{LogicalTypes, Schema}
import org.apache.avro.Schema.Type
import org.apache.spark.sql.types._

/**
 * Converts Avro schemas to columns and back. All columns and everything within them are nullable. TIMESTAMP becomes
 * timestamp-millis or timestamp-micros, according to TIMESTAMP_UNIT.
 */
private[formats] object AvroSchemas {
  val format = "AVRO"

  val namespace = "io.confluent.ksql.avro_schemas"
  val valueRecord = "KsqlDataSourceSchema"

  private val legalName = "[A-Za-z_][A-Za-z0-9_]*".r

  def legal(name: String): Boolean = legalName.matches(name)

  /** The field of a general union's struct for the branch of this number, not counting null. */
  def member(branch: Int): String = s"member$branch"

  /** Connect's name for a branch: the own name of a record, enum or fixed, else the name of its type. */
  private def branchName(branch: Schema): String = branch.getType match {
    case Type.RECORD | Type.ENUM | Type.FIXED => branch.getName
    case other => other.getName
  }

  /**
   * The struct, and the union's branch that each of its fields represents: by [[member]] or Connect's name, ignoring
   * case. None for other types, and if a field matches no branch: then the struct is a record.
   */
  def membersOf(t: DataType, values: Seq[Schema]): Option[(StructType, Seq[Schema])] = t match {
    case struct: StructType if struct.nonEmpty =>
      val found = struct.fieldNames.toSeq.map { name =>
        values.indices.find(i => member(i).equalsIgnoreCase(name)).map(values)
          .orElse(values.find(branchName(_).equalsIgnoreCase(name)))
      }
      if (found.forall(_.isDefined)) Some(struct -> found.flatten) else None
    case _ => None
  }

  /** Parses a schema; accepts defaults that do not fit their field, as they are irrelevant for reading. */
  def parse(known: RegisteredSchema): Schema = {
    val parser = new Schema.Parser().setValidateDefaults(false)
    // One parser for all, in order: each may use the types of earlier ones.
    known.references.foreach(r => parser.parse(r.schema))
    try parser.parse(known.schema)
    catch { case _: StackOverflowError => throw new IllegalArgumentException("it is nested too deep") }
  }

  private val mapper = new ObjectMapper
  private val nodes = JsonNodeFactory.instance

  /** The schema as JSON without the names that Kafka Connect adds to it, and without comments. */
  def plain(known: RegisteredSchema): JsonNode = {
    def of(node: JsonNode): JsonNode = node match {
      case given: ObjectNode =>
        val kept = nodes.objectNode
        given.fields.asScala
          .filterNot(e => e.getKey == "doc" || e.getKey.startsWith("connect.") && e.getKey != entryMark)
          .foreach(e => kept.set[JsonNode](e.getKey, of(e.getValue)))
        if (kept.size == 1 && kept.path("type").isTextual) kept.get("type") else kept
      case given: ArrayNode => nodes.arrayNode.addAll(given.elements.asScala.map(of).toSeq.asJava)
      case given => given
    }
    of(mapper.readTree(known.schema))
  }

  /** The `doc` of the record's fields, by their names. */
  def docs(known: RegisteredSchema): Map[String, String] = parse(known) match {
    case record if record.getType == Type.RECORD =>
      record.getFields.asScala.flatMap(f => Option(f.doc).map(f.name -> _)).toMap
    case _ => Map.empty
  }

  /**
   * The columns that a schema describes: the fields of its record if the side is one, else one column of the whole
   * type. Fields that are always null are omitted, and so are records that contain themselves, whose type is infinite.
   *
   * @param as decides whether a record is one column; its SCHEMA_FULL_NAME selects the record of a union
   * @throws io.kafkalyst.errors.KafkalystException UNSUPPORTED_SCHEMA for an invalid schema, or one without a field
   * that can be a column
   */
  def columns(known: RegisteredSchema, side: Side, as: SideFormat): Seq[TopicColumn] = {
    val parsed =
      try parse(known)
      catch { case NonFatal(e) => throw unsupported(side, s"it is not a valid Avro schema: ${e.getMessage}") }
    val fullName = as.options.get(SideFormat.schemaFullName)
    val schema = chosen(parsed, fullName)
      .fold(
        names => throw unsupported(side, s"none of its records is ${fullName.get}: ${names.mkString(", ")}"),
        identity
      )
    val types = new Columns(side, as.options.contains(SideFormat.likeConnect))
    val columns = recordOf(schema) match {
      case Some(record) if FormatRules.wrapped(side, as, 1) =>
        record.getFields.asScala.toSeq.flatMap { f =>
          types.dataType(f.schema, List(record)).map(TopicColumn(f.name, _, side))
        }
      case _ =>
        types.dataType(schema, Nil).map(TopicColumn(FormatRules.bareColumn(side), _, side)).toSeq
    }
    if (columns.isEmpty) {
      throw unsupported(side, "it has no field that can be a column: each is only ever null, or contains itself")
    }
    columns
  }

  /** The fields of its record that are neither nullable nor have a default; none if the side is not a record. */
  def required(known: RegisteredSchema, side: Side, as: SideFormat): Seq[String] =
    chosen(parse(known), as.options.get(SideFormat.schemaFullName)).toOption.flatMap(recordOf)
      .filter(_ => FormatRules.wrapped(side, as, 1)).toSeq
      .flatMap(_.getFields.asScala.toSeq.filter(f => !f.schema.isNullable && !f.hasDefaultValue).map(_.name))

  /** The paths of fields that cannot be a column or part of one, such as those that are always null. */
  def leftOut(known: RegisteredSchema, side: Side, as: SideFormat): Seq[String] = {
    def within(schema: Schema, path: String, around: List[Schema]): Seq[String] =
      if (new Columns(side, likeConnect = false).dataType(schema, around).isEmpty) Seq(path)
      else schema.getType match {
        case Type.RECORD =>
          schema.getFields.asScala.toSeq.flatMap(f =>
            within(f.schema, if (path.isEmpty) f.name else s"$path.${f.name}", schema :: around)
          )
        case Type.ARRAY => within(schema.getElementType, s"$path.element", around)
        case Type.MAP => within(schema.getValueType, s"$path.value", around)
        case Type.UNION => schema.getTypes.asScala.toSeq.filter(_.getType != Type.NULL).flatMap(within(_, path, around))
        case _ => Nil
      }
    chosen(parse(known), as.options.get(SideFormat.schemaFullName)).toOption.toSeq.flatMap(within(_, "", Nil))
  }

  /**
   * The record of that full name if the schema is a union of several, else the schema itself: a lone record may have
   * been renamed since. Left with the records' names if none has it.
   */
  def chosen(schema: Schema, fullName: Option[String]): Either[Seq[String], Schema] = {
    val records = if (schema.getType == Type.UNION) schema.getTypes.asScala.filter(_.getType == Type.RECORD) else Nil
    if (fullName.isEmpty || records.size < 2) Right(schema)
    else records.find(r => fullName.contains(r.getFullName)).toRight(records.map(_.getFullName).toSeq)
  }

  /** The schema if it is a record, or the record of a union with null. */
  def recordOf(schema: Schema): Option[Schema] = schema.getType match {
    case Type.RECORD => Some(schema)
    case Type.UNION =>
      schema.getTypes.asScala.filter(_.getType != Type.NULL).toSeq match {
        case Seq(one) if one.getType == Type.RECORD => Some(one)
        case _ => None
      }
    case _ => None
  }

  private def unsupported(side: Side, reason: String): KafkalystException =
    KafkalystException("UNSUPPORTED_SCHEMA", "format" -> format, "side" -> side.name, "reason" -> reason)

  /**
   * Converts schemas to types; one instance per conversion, as it counts the fields it creates.
   *
   * @param likeConnect whether a union's members have Connect's names, milliseconds of the day are a TIME, and logical
   *                    types that Connect does not know have no effect
   */
  private final class Columns(side: Side, likeConnect: Boolean) {
    private val size = new TypeSize(reason => throw unsupported(side, reason))

    /** The type of a column for this schema; None if it is always null, or a record that contains itself. */
    def dataType(schema: Schema, around: List[Schema]): Option[DataType] = typeOf(schema, around, 0)

    private def typeOf(schema: Schema, around: List[Schema], depth: Int): Option[DataType] = {
      def inner(s: Schema) = typeOf(s, around, depth + 1)
      size.add(0, depth)
      schema.getType match {
        case Type.NULL => None
        case Type.BOOLEAN => Some(BooleanType)
        case Type.INT =>
          logical(schema) match {
            case "date" => Some(DateType)
            case "time-millis" if likeConnect => TimeOfDay.dataType.orElse(Some(IntegerType))
            case _ => Some(IntegerType)
          }
        case Type.LONG =>
          logical(schema) match {
            case t if likeConnect => Some(if (t == "timestamp-millis") TimestampType else LongType)
            case t if t.startsWith("timestamp-") => Some(TimestampType)
            case t if t.startsWith("local-timestamp-") => Some(TimestampNTZType)
            case _ => Some(LongType)
          }
        case Type.FLOAT => Some(FloatType)
        case Type.DOUBLE => Some(DoubleType)
        case Type.STRING | Type.ENUM => Some(StringType)
        case Type.BYTES | Type.FIXED =>
          schema.getLogicalType match {
            case d: LogicalTypes.Decimal if fits(d) => Some(DecimalType(d.getPrecision, d.getScale))
            case _ if likeConnect => Some(BinaryType)
            case _ if isUuid(schema) => Some(StringType)
            case _ if isDuration(schema) => Some(duration)
            case _ => Some(BinaryType)
          }
        case Type.ARRAY if likeConnect && entryOf(schema).isDefined =>
          inner(entryOf(schema).get.getField("value").schema).map(MapType(StringType, _, valueContainsNull = true))
        case Type.ARRAY => inner(schema.getElementType).map(ArrayType(_, containsNull = true))
        case Type.MAP => inner(schema.getValueType).map(MapType(StringType, _, valueContainsNull = true))
        case Type.RECORD =>
          if (around.exists(_ eq schema)) None
          else {
            size.add(schema.getFields.size, depth)
            val fields = schema.getFields.asScala.toSeq.flatMap { f =>
              typeOf(f.schema, schema :: around, depth + 1).map(StructField(f.name, _))
            }
            if (fields.isEmpty) None else Some(StructType(fields))
          }
        case Type.UNION =>
          val values = schema.getTypes.asScala.toSeq.filter(_.getType != Type.NULL)
          def are(types: Type*) = !likeConnect && values.map(_.getType).toSet == types.toSet
          if (values.size <= 1) values.headOption.flatMap(inner)
          else if (are(Type.INT, Type.LONG) && values.forall(logical(_).isEmpty)) Some(LongType)
          else if (are(Type.FLOAT, Type.DOUBLE)) Some(DoubleType)
          else {
            val members = values.zipWithIndex.flatMap { case (branch, i) =>
              inner(branch).map(StructField(if (likeConnect) branchName(branch) else member(i), _))
            }
            if (members.isEmpty) None else Some(StructType(members))
          }
      }
    }
  }

  /** Whether a value of this schema is read as exactly this type. */
  def isExactly(schema: Schema, t: DataType): Boolean =
    try new Columns(Side.Value, likeConnect = false).dataType(schema, Nil).contains(t)
    catch { case _: KafkalystException => false }

  /** The entry's record, if the array is a map as Kafka Connect, and so ksqlDB, writes maps with nullable keys. */
  def entryOf(array: Schema): Option[Schema] = Some(array.getElementType).filter { item =>
    def isMarked = item.getProp(entryMark) == "MapEntry" || item.getFullName == mapEntry
    def hasText = {
      val key = item.getField("key").schema
      val keys = if (key.getType == Type.UNION) key.getTypes.asScala.toSeq else Seq(key)
      keys.filter(_.getType != Type.NULL).map(_.getType) == Seq(Type.STRING)
    }
    item.getType == Type.RECORD && isMarked &&
    item.getFields.asScala.map(_.name).toSet == Set("key", "value") && hasText
  }

  private val entryMark = "connect.internal.type"
  private val mapEntry = "io.confluent.connect.avro.MapEntry"

  /** Whether the schema's maps are arrays of Connect's entries; None if it has no maps, or maps of both forms. */
  def hasEntries(known: RegisteredSchema): Option[Boolean] = {
    val seen = mutable.Set.empty[String]
    def forms(schema: Schema): Seq[Boolean] = schema.getType match {
      case Type.ARRAY => entryOf(schema).map(_ => true).toSeq ++ forms(schema.getElementType)
      case Type.MAP => false +: forms(schema.getValueType)
      case Type.UNION => schema.getTypes.asScala.toSeq.flatMap(forms)
      case Type.RECORD if seen.add(schema.getFullName) => schema.getFields.asScala.toSeq.flatMap(f => forms(f.schema))
      case _ => Nil
    }
    val found =
      try forms(parse(known)).distinct
      catch { case NonFatal(_) => Nil }
    if (found.size == 1) found.headOption else None
  }

  /** The type of a duration: three counts that do not convert into each other. */
  val duration: StructType = StructType(Seq("months", "days", "millis").map(StructField(_, IntegerType)))

  // Detected by name: not every Avro version has classes for these two.
  def isDuration(schema: Schema): Boolean = isFixed(schema, "duration", 12)

  /** A UUID stored as its 16 bytes; one stored as a string needs no special case. */
  def isUuid(schema: Schema): Boolean = isFixed(schema, "uuid", 16)

  private def isFixed(schema: Schema, logicalType: String, size: Int) =
    schema.getType == Type.FIXED && schema.getProp("logicalType") == logicalType && schema.getFixedSize == size

  private def fits(d: LogicalTypes.Decimal): Boolean = d.getPrecision <= DecimalType.MAX_PRECISION

  private def logical(schema: Schema): String = if (schema.getLogicalType == null) "" else schema.getLogicalType.getName

  /**
   * The schema to register for these columns: a record of nullable fields, or the bare type of a single unwrapped
   * column.
   *
   * @param objectName names the key's record, unless SCHEMA_FULL_NAME does
   */
  def schema(columns: Seq[TopicColumn], side: Side, objectName: String, as: SideFormat): String = {
    val default = side match {
      case Side.Value => valueRecord
      case Side.Key => s"${camelCase(objectName)}Key"
    }
    val fullName = as.options.getOrElse(SideFormat.schemaFullName, s"$namespace.$default")
    val record = fullName.substring(fullName.lastIndexOf('.') + 1)
    val isMillis = as.options.get(SideFormat.timestampUnit).exists(_.equalsIgnoreCase(SideFormat.millis))
    val hasEntries = as.options.contains(SideFormat.likeConnect)
    val names = new Names(fullName.stripSuffix(record).stripSuffix("."), isMillis, hasEntries)
    val top =
      if (!FormatRules.wrapped(side, as, columns.size)) avro(columns.head.dataType, record, names)
      else struct(columns.map(c => (c.name, c.dataType)), record, names, required(as))
    top.toString
  }

  private def required(as: SideFormat): Set[String] =
    as.options.get(SideFormat.requiredFields).fold(Set.empty[String])(FlinkProperties.list(_).toSet)

  private def struct(
      fields: Seq[(String, DataType)],
      name: String,
      names: Names,
      required: Set[String] = Set.empty
  ): Schema = {
    val record = Schema.createRecord(names.fresh(name), null, names.namespace, false)
    record.setFields(fields.map { case (field, dataType) =>
      val schema = avro(dataType, s"${name}_$field", names)
      if (required(field)) new Schema.Field(field, schema) else optional(field, schema)
    }.asJava)
    record
  }

  private def optional(field: String, schema: Schema) =
    new Schema.Field(field, nullable(schema), null, Schema.Field.NULL_DEFAULT_VALUE)

  private def nullable(schema: Schema): Schema = Schema.createUnion(Schema.create(Type.NULL), schema)

  /** @param name of the resulting record, if the type is a struct or contains one */
  private def avro(t: DataType, name: String, names: Names): Schema = t match {
    case _: BooleanType => Schema.create(Type.BOOLEAN)
    case _: ByteType | _: ShortType | _: IntegerType => Schema.create(Type.INT)
    case _: LongType => Schema.create(Type.LONG)
    case _: FloatType => Schema.create(Type.FLOAT)
    case _: DoubleType => Schema.create(Type.DOUBLE)
    case _: StringType => Schema.create(Type.STRING)
    case _: BinaryType => Schema.create(Type.BYTES)
    case d: DecimalType => LogicalTypes.decimal(d.precision, d.scale).addToSchema(Schema.create(Type.BYTES))
    case _: DateType => LogicalTypes.date().addToSchema(Schema.create(Type.INT))
    case _: TimestampType =>
      val unit = if (names.isMillis) LogicalTypes.timestampMillis() else LogicalTypes.timestampMicros()
      unit.addToSchema(Schema.create(Type.LONG))
    case _: TimestampNTZType =>
      val unit = if (names.isMillis) LogicalTypes.localTimestampMillis() else LogicalTypes.localTimestampMicros()
      unit.addToSchema(Schema.create(Type.LONG))
    case time if TimeOfDay.is(time) => LogicalTypes.timeMillis().addToSchema(Schema.create(Type.INT))
    case a: ArrayType => Schema.createArray(nullable(avro(a.elementType, name, names)))
    // As Connect writes a map whose keys are nullable, which they are in ksqlDB.
    case m: MapType if names.hasEntries =>
      val entry = Schema.createRecord(names.fresh(name), null, names.namespace, false)
      entry.setFields(Seq("key" -> Schema.create(Type.STRING), "value" -> avro(m.valueType, s"${name}_MapValue", names))
        .map { case (field, schema) => optional(field, schema) }.asJava)
      entry.addProp(entryMark, "MapEntry")
      Schema.createArray(entry)
    case m: MapType => Schema.createMap(nullable(avro(m.valueType, name, names)))
    case s: StructType => struct(s.fields.toSeq.map(f => (f.name, f.dataType)), name, names)
    case other => throw new IllegalArgumentException(s"validate lets no ${other.sql} through")
  }

  /** A source's name as ksqlDB writes it before `Key`: ORDER_items becomes OrderItems. */
  private def camelCase(name: String): String = {
    val words = name.split("[^A-Za-z0-9]+").filter(_.nonEmpty)
    val joined = words.map(w => w.take(1).toUpperCase(Locale.ROOT) + w.drop(1).toLowerCase(Locale.ROOT)).mkString
    if (joined.headOption.exists(_.isDigit)) "_" + joined else joined
  }

  /** Record names of one schema: a repeated name, as for `a_b` and for `b` in `a`, gets a number. */
  private final class Names(val namespace: String, val isMillis: Boolean, val hasEntries: Boolean) {
    private val used = mutable.Set.empty[String]

    def fresh(name: String): String = {
      val free = Iterator.from(1).map(i => if (i == 1) name else s"${name}_$i").find(!used(_)).get
      used += free
      free
    }
  }
}
