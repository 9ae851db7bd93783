package io.kafkalyst.formats
package protobuf

import scala.jdk.CollectionConverters._
import scala.util.Random

import com.google.protobuf.{ByteString, DescriptorProtos => D, DynamicMessage, TimestampProto, WrappersProto}
import com.google.protobuf.Descriptors.{Descriptor, EnumValueDescriptor, FieldDescriptor, FileDescriptor}
import com.google.protobuf.Descriptors.FieldDescriptor.{JavaType, Type}

/** Google's own runtime: random schemas, messages of them, and messages as plain Scala values. */
object ProtoOracle {
  private val F = D.FieldDescriptorProto.Type.values.toSeq
  import D.FieldDescriptorProto.{Label, Type => T}

  private def message(name: String, fields: (String, T, Int)*): D.DescriptorProto =
    D.DescriptorProto.newBuilder.setName(name).addAllField(fields.map { case (n, t, i) =>
      D.FieldDescriptorProto.newBuilder.setName(n).setType(t).setNumber(i).setLabel(Label.LABEL_OPTIONAL).build
    }.asJava).build

  private def file(path: String, pkg: String, message: D.DescriptorProto): FileDescriptor = FileDescriptor.buildFrom(
    D.FileDescriptorProto.newBuilder.setName(path).setPackage(pkg).setSyntax("proto3").addMessageType(message).build,
    Array.empty
  )

  private val dateFile = file(
    "google/type/date.proto",
    "google.type",
    message("Date", ("year", T.TYPE_INT32, 1), ("month", T.TYPE_INT32, 2), ("day", T.TYPE_INT32, 3))
  )
  private val decimalFile = file(
    "confluent/type/decimal.proto",
    "confluent.type",
    message("Decimal", ("value", T.TYPE_BYTES, 1), ("precision", T.TYPE_UINT32, 2), ("scale", T.TYPE_INT32, 3))
  )
  val imports: Array[FileDescriptor] =
    Array(TimestampProto.getDescriptor, WrappersProto.getDescriptor, dateFile, decimalFile)

  /** A text of Google's compiler's descriptor, from which our parser has to come to the same. */
  def compiled(file: D.FileDescriptorProto): Descriptor = FileDescriptor.buildFrom(file, imports).getMessageTypes.get(0)

  /** A message as the columns of its fields. */
  def plain(m: DynamicMessage): Seq[Any] = m.getDescriptorForType.getFields.asScala.toSeq.map { f =>
    if (f.isMapField) {
      val entry = f.getMessageType
      m.getField(f).asInstanceOf[java.util.List[DynamicMessage]].asScala.map { e =>
        one(e.getField(entry.findFieldByNumber(1)), entry.findFieldByNumber(1)) ->
          one(e.getField(entry.findFieldByNumber(2)), entry.findFieldByNumber(2))
      }.toMap
    } else if (f.isRepeated) m.getField(f).asInstanceOf[java.util.List[_]].asScala.map(one(_, f)).toSeq
    else if (f.hasPresence && !m.hasField(f) && !f.hasDefaultValue) null
    else one(m.getField(f), f)
  }

  private def one(value: Any, f: FieldDescriptor): Any = f.getJavaType match {
    case JavaType.ENUM => value.asInstanceOf[EnumValueDescriptor].getName
    case JavaType.BYTE_STRING => value.asInstanceOf[ByteString].toByteArray.toSeq
    case JavaType.INT if f.getType == Type.UINT32 || f.getType == Type.FIXED32 =>
      Integer.toUnsignedLong(value.asInstanceOf[Int])
    case JavaType.LONG if f.getType == Type.UINT64 || f.getType == Type.FIXED64 =>
      new java.math.BigDecimal(java.lang.Long.toUnsignedString(value.asInstanceOf[Long]))
    case JavaType.MESSAGE =>
      val m = value.asInstanceOf[DynamicMessage]
      def field(n: Int): Any = {
        val inner = m.getDescriptorForType.findFieldByNumber(n)
        one(m.getField(inner), inner)
      }
      m.getDescriptorForType.getFullName match {
        case "google.protobuf.Timestamp" =>
          field(1).asInstanceOf[Long] * 1000000L + Math.floorDiv(field(2).asInstanceOf[Int], 1000)
        case "google.type.Date" =>
          val day = (1 to 3).map(field(_).asInstanceOf[Int])
          java.time.LocalDate.of(day(0), day(1), day(2)).toEpochDay.toInt
        case "confluent.type.Decimal" =>
          val unscaled = new java.math.BigInteger(field(1).asInstanceOf[Seq[Byte]].toArray)
          new java.math.BigDecimal(unscaled, field(3).asInstanceOf[Int])
        case name if name.startsWith("google.protobuf.") && name.endsWith("Value") => field(1)
        case _ => plain(m)
      }
    case _ => value
  }

  /** A random schema of a few nested messages, as Google's compiler would describe it and as text. */
  final class RandomProto(r: Random) {
    private val isProto3 = r.nextInt(3) > 0
    private var names = 0
    private val text = new StringBuilder

    private def name(kind: String): String = {
      names += 1
      s"$kind$names"
    }

    def schema(): (D.FileDescriptorProto, String) = {
      val syntax = if (isProto3) "proto3" else "proto2"
      val file = D.FileDescriptorProto.newBuilder.setName("t.proto").setPackage("t.u").setSyntax(syntax)
      imports.foreach(i => file.addDependency(i.getName))
      text ++= s"// A comment; message X {}\nsyntax = '$syntax';\npackage t.u; /* of\nlines */\n"
      imports.foreach(i => text ++= s"""import "${i.getName}";\n""")
      file.addMessageType(message(2, "t.u"))
      (file.build, text.toString)
    }

    private def message(depth: Int, scope: String): D.DescriptorProto = {
      val name = this.name("M")
      val m = D.DescriptorProto.newBuilder.setName(name)
      val full = s"$scope.$name"
      text ++= s"message $name {\n"
      val kinds = D.EnumDescriptorProto.newBuilder.setName("Kind")
      val symbols = (0 to r.nextInt(4)).map(i => s"${this.name("K")}" -> (if (i == 0) 0 else i * i * 1000 - 1001))
      symbols.foreach { case (s, n) =>
        kinds.addValue(D.EnumValueDescriptorProto.newBuilder.setName(s).setNumber(n))
      }
      m.addEnumType(kinds)
      text ++= symbols.map { case (s, n) => s"$s = $n;" }.mkString("  enum Kind { ", " ", " }\n")
      text ++= "  reserved 536870911; reserved \"nothing\";\n"
      if (depth > 0) (0 to r.nextInt(2)).foreach(_ => m.addNestedType(message(depth - 1, full)))
      val nested = m.getNestedTypeList.asScala.map(_.getName).toSeq
      val numbers = r.shuffle((1 to 18) ++ Seq(255, 256, 2047, 536870910)).iterator
      (0 to r.nextInt(8)).foreach(_ => field(m, full, nested, numbers.next()))
      if (r.nextBoolean()) {
        val oneof = this.name("choice")
        val index = m.getOneofDeclCount
        m.addOneofDecl(D.OneofDescriptorProto.newBuilder.setName(oneof))
        text ++= s"  oneof $oneof {\n"
        (0 to r.nextInt(3)).foreach { _ =>
          val f = typed(full, nested).setName(fieldName()).setNumber(numbers.next()).setOneofIndex(index)
          text ++= s"    ${typeText(f)} ${f.getName} = ${f.getNumber};\n"
          m.addField(f.setLabel(Label.LABEL_OPTIONAL))
        }
        text ++= "  }\n"
      }
      // Those of proto3's optional fields stand behind the others.
      (0 until m.getFieldCount).foreach { i =>
        val f = m.getFieldBuilder(i)
        if (f.getProto3Optional) {
          f.setOneofIndex(m.getOneofDeclCount)
          m.addOneofDecl(D.OneofDescriptorProto.newBuilder.setName("_" + f.getName))
        }
      }
      text ++= "}\n"
      m.build
    }

    private def fieldName(): String = name(if (r.nextBoolean()) "f_" else "message_")

    private def typeText(f: D.FieldDescriptorProtoOrBuilder): String =
      if (f.getTypeName.isEmpty) f.getType.name.stripPrefix("TYPE_").toLowerCase
      else r.nextInt(3) match {
        case 0 => f.getTypeName
        case 1 if f.getTypeName.startsWith(".t.u.") => f.getTypeName.stripPrefix(".t.")
        case _ => f.getTypeName.stripPrefix(".")
      }

    private def field(m: D.DescriptorProto.Builder, scope: String, nested: Seq[String], number: Int): Unit = {
      val name = fieldName()
      val f = typed(scope, nested).setName(name).setNumber(number)
      r.nextInt(6) match {
        case 0 =>
          // A map is a repeated message of entries.
          val entry = s"${name.split('_').map(_.capitalize).mkString}Entry"
          val keys = Seq(T.TYPE_STRING, T.TYPE_INT32, T.TYPE_BOOL, T.TYPE_UINT64, T.TYPE_SFIXED64)
          val key = keys(r.nextInt(keys.size))
          m.addNestedType(
            D.DescriptorProto.newBuilder.setName(entry).setOptions(D.MessageOptions.newBuilder.setMapEntry(true))
              .addField(D.FieldDescriptorProto.newBuilder.setName("key").setNumber(1).setType(key)
                .setLabel(Label.LABEL_OPTIONAL))
              .addField(f.clone().setName("value").setNumber(2).setLabel(Label.LABEL_OPTIONAL))
          )
          text ++= s"  map<${key.name.stripPrefix("TYPE_").toLowerCase}, ${typeText(f)}> $name = $number;\n"
          m.addField(
            D.FieldDescriptorProto.newBuilder.setName(name).setNumber(number).setType(T.TYPE_MESSAGE)
              .setTypeName(s".$scope.$entry").setLabel(Label.LABEL_REPEATED)
          )
        case 1 | 2 =>
          f.setLabel(Label.LABEL_REPEATED)
          val packable = !Set(T.TYPE_MESSAGE, T.TYPE_STRING, T.TYPE_BYTES)(f.getType)
          val option = if (packable && r.nextBoolean()) {
            val packed = r.nextBoolean()
            f.setOptions(D.FieldOptions.newBuilder.setPacked(packed))
            s" [packed = $packed]"
          } else ""
          text ++= s"  repeated ${typeText(f)} $name = 0x${number.toHexString}$option;\n"
          m.addField(f)
        case 3 if !isProto3 =>
          f.setLabel(Label.LABEL_REQUIRED)
          text ++= s"  required ${typeText(f)} $name = $number;\n"
          m.addField(f)
        case _ =>
          f.setLabel(Label.LABEL_OPTIONAL)
          val isOptional = !isProto3 || r.nextBoolean()
          if (isProto3 && isOptional) f.setProto3Optional(true)
          val default =
            if (isProto3) ""
            else f.getType match {
              case T.TYPE_SINT32 =>
                f.setDefaultValue("-7")
                " [deprecated = true, default = -07]"
              case T.TYPE_STRING =>
                f.setDefaultValue("a\"ä")
                " [default = \"a\\\"\" '\\303\\244']"
              case T.TYPE_DOUBLE =>
                f.setDefaultValue("-inf")
                " [default = -inf]"
              case _ => ""
            }
          text ++= s"  ${if (isOptional) "optional " else ""}${typeText(f)} $name = $number$default;\n"
          m.addField(f)
      }
    }

    private def typed(scope: String, nested: Seq[String]): D.FieldDescriptorProto.Builder = {
      val f = D.FieldDescriptorProto.newBuilder
      r.nextInt(8) match {
        case 0 => f.setType(T.TYPE_ENUM).setTypeName(s".$scope.Kind")
        case 1 if nested.nonEmpty =>
          f.setType(T.TYPE_MESSAGE).setTypeName(s".$scope.${nested(r.nextInt(nested.size))}")
        case 2 =>
          val known = imports.flatMap(_.getMessageTypes.asScala).map(_.getFullName)
          f.setType(T.TYPE_MESSAGE).setTypeName("." + known(r.nextInt(known.length)))
        case _ => f.setType(scalars(r.nextInt(scalars.size)))
      }
    }
    private val scalars = F.filterNot(Set(T.TYPE_GROUP, T.TYPE_MESSAGE, T.TYPE_ENUM))

    /** A random message; not every field is set, but all that are required. */
    def value(d: Descriptor): DynamicMessage = {
      val m = DynamicMessage.newBuilder(d)
      d.getFullName match {
        case "google.protobuf.Timestamp" =>
          m.setField(d.findFieldByNumber(1), r.between(-62135596800L, 253402300800L))
            .setField(d.findFieldByNumber(2), r.nextInt(1000000) * 1000)
        case "google.type.Date" =>
          Seq(1 + r.nextInt(9999), 1 + r.nextInt(12), 1 + r.nextInt(28)).zipWithIndex.foreach { case (n, i) =>
            m.setField(d.findFieldByNumber(i + 1), n)
          }
        case "confluent.type.Decimal" =>
          val unscaled =
            new java.math.BigInteger(r.nextInt(60), r.self).subtract(java.math.BigInteger.valueOf(1L << 40))
          m.setField(d.findFieldByNumber(1), ByteString.copyFrom(unscaled.toByteArray))
          m.setField(d.findFieldByNumber(2), 38).setField(d.findFieldByNumber(3), 18)
        case _ =>
          d.getFields.asScala.foreach { f =>
            if (f.isMapField) {
              val entry = f.getMessageType
              (0 until r.nextInt(3)).map(_ => single(entry.findFieldByNumber(1))).distinct.foreach { key =>
                m.addRepeatedField(
                  f,
                  DynamicMessage.newBuilder(entry).setField(entry.findFieldByNumber(1), key)
                    .setField(entry.findFieldByNumber(2), single(entry.findFieldByNumber(2))).build
                )
              }
            } else if (f.isRepeated) (0 until r.nextInt(4)).foreach(_ => m.addRepeatedField(f, single(f)))
            else if (f.isRequired || r.nextInt(4) > 0) m.setField(f, single(f))
          }
      }
      m.build
    }

    private def single(f: FieldDescriptor): Any = f.getJavaType match {
      case JavaType.BOOLEAN => r.nextBoolean()
      case JavaType.INT => r.nextInt() >> r.nextInt(32)
      case JavaType.LONG => r.nextLong() >> r.nextInt(64)
      case JavaType.FLOAT => if (r.nextInt(9) == 0) -0f else r.nextFloat()
      case JavaType.DOUBLE => if (r.nextInt(9) == 0) -0d else r.nextGaussian()
      case JavaType.STRING => r.nextString(r.nextInt(6)).filterNot(_.isSurrogate)
      case JavaType.BYTE_STRING => ByteString.copyFrom(r.nextBytes(r.nextInt(9)))
      case JavaType.ENUM => f.getEnumType.getValues.get(r.nextInt(f.getEnumType.getValues.size))
      case JavaType.MESSAGE => value(f.getMessageType)
    }
  }
}
