package io.kafkalyst.functions

import java.util.Locale
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.regex.Pattern

import io.kafkalyst.functions.KsqlFunction.{computed, expression, nameIn, sql, wrong}
import io.kafkalyst.model.Widening
import org.apache.commons.text.StringEscapeUtils
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** ksqlDB's string functions. */
private[functions] object KsqlStrings {
  private[functions] def utf(text: String): UTF8String = UTF8String.fromString(text)
  private[functions] def texts(all: Seq[String]): GenericArrayData = new GenericArrayData(all.map(utf).toArray[Any])
  private[functions] val strings = ArrayType(StringType)

  private def string(usage: String, given: Seq[Int], result: DataType = StringType, types: Seq[DataType] = Nil)(
      body: Array[Any] => Any
  ): KsqlFunction = computed(usage) { args =>
    if (!given.contains(args.size)) throw wrong(usage, args)
    val inputs = args.indices.map(i => types.lift(i).getOrElse(StringType))
    Computed(nameIn(usage), args, result, inputs, nulls = false)(body)
  }

  private val defaultMask = Seq("X", "x", "n", "-")

  /**
   * Masks `[from, until)` of a text; a null mask character leaves characters of its class unchanged. Null if the count
   * is null, or a mask character is not exactly one character.
   */
  private def mask(usage: String, counted: Boolean)(range: (Int, Int) => (Int, Int)): KsqlFunction =
    computed(usage) { args =>
      val first = if (counted) 2 else 1
      if (args.size < first || args.size > first + 4) throw wrong(usage, args)
      val inputs = args.indices.map(i => if (counted && i == 1) IntegerType else StringType)
      Computed(nameIn(usage), args, StringType, inputs, nulls = true) { values =>
        if (values(0) == null || (counted && values(1) == null)) null
        else {
          val text = values(0).toString
          val count = if (counted) values(1).asInstanceOf[Int] else 0
          if (count < 0) throw new IllegalArgumentException("negative")
          val (from, until) = range(text.length, math.min(count, text.length))
          val kinds = defaultMask.indices.map { i =>
            if (first + i >= values.length) Some(defaultMask(i).head)
            else
              Option(values(first + i)).map(_.toString).map { mask =>
                if (mask.length == 1) mask.head else throw new IllegalArgumentException("no character")
              }
          }
          utf(text.zipWithIndex.map { case (c, at) =>
            val kind =
              if (Character.isUpperCase(c)) 0
              else if (Character.isLowerCase(c)) 1
              else if (Character.isDigit(c)) 2
              else 3
            if (at < from || at >= until) c else kinds(kind).getOrElse(c)
          }.mkString)
        }
      }
    }

  private val substringUsage =
    "SUBSTRING(text, position[, length]) - The part from a 1-based position, or from the end if it is negative. Also of BYTES."

  private def substring(usage: String) = computed(usage) { args =>
    if (args.size < 2 || args.size > 3) throw wrong(usage, args)
    val bytes = args.head.dataType == BinaryType
    val inputs = (if (bytes) BinaryType else StringType) +: Seq.fill(args.size - 1)(IntegerType)
    Computed("substring", args, if (bytes) BinaryType else StringType, inputs, nulls = false) { values =>
      val size = values(0) match {
        case b: Array[Byte] => b.length
        case s => s.toString.length
      }
      val position = values(1).asInstanceOf[Int]
      val from = if (position < 0) math.max(size + position, 0) else math.max(math.min(position - 1, size), 0)
      val until = if (values.length < 3) size
      else math.min(from.toLong + math.max(0, values(2).asInstanceOf[Int]), size.toLong).toInt
      values(0) match {
        case b: Array[Byte] => b.slice(from, until)
        case s => utf(s.toString.substring(from, until))
      }
    }
  }

  private def pad(name: String, where: String) = computed(
    s"$name(text, length, padding) - The text truncated, or padded $where, to the length. NULL if the padding is empty. Also of BYTES."
  ) { args =>
    val text = s"if(_2 < 0 OR length(_3) = 0, NULL, ${name.toLowerCase(Locale.ROOT)}(_1, _2, _3))"
    if (args.size != 3 || !Widening.fits(args(1).dataType, IntegerType))
      throw wrong(s"$name(text, length, padding)", args)
    expression(text, args: _*)
  }

  private def split(text: String, delimiter: String): Seq[String] =
    if (delimiter.isEmpty) { if (text.isEmpty) Seq("") else text.map(_.toString) }
    else text.split(Pattern.quote(delimiter), -1).toSeq

  private def occurrence(text: String, sought: String, position: Int, occurrence: Int): Int = {
    if (position == 0 || occurrence < 1 || math.abs(position) > text.length) return 0
    val forward = position > 0
    // Backwards, the whole match is before the position.
    var at = if (forward) position - 1 else text.length + position - (sought.length - 1)
    var left = occurrence
    while (left > 0) {
      at = if (forward) text.indexOf(sought, at) else if (at < 0) -1 else text.lastIndexOf(sought, at)
      if (at < 0) return 0
      left -= 1
      if (left > 0) at += (if (forward) 1 else -1)
    }
    at + 1
  }

  private def isBytes(args: Seq[Expression]) =
    args.exists(_.dataType == BinaryType) && args.forall(a => a.dataType == BinaryType || a.dataType == NullType)

  /** Joins texts or BYTES with the separator, skipping nulls. */
  private def joined(name: String, args: Seq[Expression])(parts: Array[Any] => (Any, Array[Any])): Expression = {
    val t = if (isBytes(args)) BinaryType else StringType
    Computed(name, args, t, args.map(_ => t), nulls = true) { values =>
      parts(values) match {
        case (null, _) => null
        case (separator: Array[Byte], all) =>
          all.collect { case b: Array[Byte] => b }.reduceOption(_ ++ separator ++ _).getOrElse(Array.emptyByteArray)
        case (separator, all) => utf(all.filter(_ != null).mkString(separator.toString))
      }
    }
  }

  /** Only whitespace separates words. */
  private val word = "\\S+\\s*".r

  /** What is before the first word is dropped. */
  private def initCap(text: String): String = word.findAllIn(text.toLowerCase(Locale.ROOT))
    .map(part => part.take(1).toUpperCase(Locale.ROOT) + part.drop(1)).mkString

  val all: Seq[KsqlFunction] = Seq(
    computed("CHR(code) - The character of a code point, or of a text such as '\\u004e'.") {
      case args @ Seq(code) if code.dataType == StringType =>
        // As ksqlDB: what follows the first code is unescaped, too.
        Computed("chr", args, StringType, Nil, nulls = false) { a =>
          val text = a(0).toString
          if (text.length >= 6 && text.startsWith("\\u")) utf(StringEscapeUtils.unescapeJava(text)) else null
        }
      case args @ Seq(_) =>
        Computed("chr", args, StringType, Seq(IntegerType), nulls = false)(a =>
          utf(Character.toString(a(0).asInstanceOf[Int]))
        )
      case args => throw wrong("CHR(code)", args)
    },
    computed("CONCAT(text, …) - The concatenated texts; NULLs are skipped. Also of BYTES.") { args =>
      if (args.isEmpty) throw wrong("CONCAT(text, …)", args)
      joined("concat", args)(values => (if (isBytes(args)) Array.emptyByteArray else "", values))
    },
    computed("CONCAT_WS(separator, text, …) - The texts joined by the separator; NULLs are skipped. Also of BYTES.") {
      args =>
        if (args.size < 2) throw wrong("CONCAT_WS(separator, text, …)", args)
        joined("concat_ws", args)(values => (values.head, values.tail))
    },
    computed(
      "FIELD(text, other, …) - The 1-based position of the first other argument that equals the text; 0 if there is none."
    ) {
      args =>
        Computed("field", args, IntegerType, args.map(_ => StringType), nulls = true)(values =>
          if (values(0) == null) 0 else values.indexOf(values(0), 1) max 0
        )
    },
    computed(
      "INSTR(text, sought[, position[, occurrence]]) - The 1-based position of the sought text; 0 if it does not occur. A negative position searches backwards from the end."
    ) { args =>
      if (args.size < 2 || args.size > 4) throw wrong("INSTR(text, sought[, position[, occurrence]])", args)
      val types = Seq(StringType, StringType, IntegerType, IntegerType).take(args.size)
      Computed("instr", args, IntegerType, types, nulls = true) { values =>
        if (values.contains(null)) 0
        else occurrence(values(0).toString, values(1).toString, int(values, 2, 1), int(values, 3, 1))
      }
    },
    sql("LOWERCASE(text) - The text in lower case; LCASE and LOWER are the same.")("lower(_1)"),
    string(
      "INITCAP(text) - Each word with its first letter in upper case and the others in lower case, without blanks before the first word.",
      Seq(1)
    )(a =>
      utf(initCap(a(0).toString))
    ),
    computed("LEN(text) - The number of characters; those beyond U+FFFF count as two. Also of BYTES.") {
      case args @ Seq(x) if x.dataType == BinaryType => expression("length(_1)", args: _*)
      case args @ Seq(_) =>
        Computed("len", args, IntegerType, Seq(StringType), nulls = false)(a => a(0).toString.length)
      case args => throw wrong("LEN(text)", args)
    },
    pad("LPAD", "on the left"),
    pad("RPAD", "on the right"),
    mask(
      "MASK(text[, upper[, lower[, digit[, other]]]]) - The text with upper case letters, lower case letters, digits and other characters replaced by X, x, n and -, or by the given characters; NULL keeps the characters of a kind.",
      counted = false
    )((size, _) => (0, size)),
    mask("MASK_LEFT(text, n[, upper, lower, digit, other]) - MASK applied to the first n characters.", counted = true)(
      (_, n) => (0, n)
    ),
    mask("MASK_RIGHT(text, n[, upper, lower, digit, other]) - MASK applied to the last n characters.", counted = true)(
      (size, n) => (size - n, size)
    ),
    mask(
      "MASK_KEEP_LEFT(text, n[, upper, lower, digit, other]) - MASK applied to all but the first n characters.",
      counted = true
    )((size, n) => (n, size)),
    mask(
      "MASK_KEEP_RIGHT(text, n[, upper, lower, digit, other]) - MASK applied to all but the last n characters.",
      counted = true
    )((size, n) => (0, size - n)),
    string(
      "REGEXP_EXTRACT(pattern, text[, group]) - The first match, or one of its groups; NULL if nothing matches.",
      Seq(2, 3),
      types = Seq(StringType, StringType, IntegerType)
    ) { values =>
      val found = Pattern.compile(values(0).toString).matcher(values(1).toString)
      if (found.find() && int(values, 2, 0) <= found.groupCount) utf(found.group(int(values, 2, 0))) else null
    },
    string(
      "REGEXP_EXTRACT_ALL(pattern, text[, group]) - All matches, or one group of each, as an ARRAY.",
      Seq(2, 3),
      strings,
      Seq(StringType, StringType, IntegerType)
    ) { values =>
      val found = Pattern.compile(values(0).toString).matcher(values(1).toString)
      val group = int(values, 2, 0)
      if (group > found.groupCount) null
      else texts(Iterator.continually(found).takeWhile(_.find()).map(_.group(group)).toSeq)
    },
    string(
      "REGEXP_REPLACE(text, pattern, by) - The text with all matches replaced; $1 in the replacement is the first group.",
      Seq(3)
    )(a => utf(a(0).toString.replaceAll(a(1).toString, a(2).toString))),
    string("REGEXP_SPLIT_TO_ARRAY(text, pattern) - The parts between the matches of the pattern.", Seq(2), strings) {
      values =>
        val pattern = Pattern.compile(values(1).toString)
        // A pattern that matches the empty string, and so between all characters, must not match at the end.
        texts(pattern.split(values(0).toString, if (pattern.matcher("").matches) 0 else -1).toSeq)
    },
    string("REPLACE(text, sought, by) - The text with all occurrences replaced.", Seq(3))(a =>
      utf(a(0).toString.replace(a(1).toString, a(2).toString))
    ),
    computed(
      "SPLIT(text, delimiter) - The parts between the delimiters; the delimiter is not a pattern, and '' splits into characters. Also of BYTES."
    ) {
      case args @ Seq(text, _) if text.dataType == BinaryType =>
        Computed("split", args, ArrayType(BinaryType), Seq(BinaryType, BinaryType), nulls = false) { values =>
          val Seq(bytes, delimiter) = values.toSeq.map(b => new String(b.asInstanceOf[Array[Byte]], ISO_8859_1))
          new GenericArrayData(split(bytes, delimiter).map(_.getBytes(ISO_8859_1)).toArray[Any])
        }
      case args @ Seq(_, _) => Computed("split", args, strings, Seq(StringType, StringType), nulls = false)(values =>
          texts(split(values(0).toString, values(1).toString))
        )
      case args => throw wrong("SPLIT(text, delimiter)", args)
    },
    string(
      "SPLIT_TO_MAP(text, entry delimiter, key delimiter) - The entries of a text such as 'a=1,b=2'; parts that are not entries are skipped.",
      Seq(3),
      MapType(StringType, StringType)
    ) { values =>
      if (values.tail.exists(_.toString.isEmpty) || values(1) == values(2)) null
      else
        KsqlCollections.map(split(values(0).toString, values(1).toString).map(split(_, values(2).toString)).collect {
          case Seq(k, v, _*) => utf(k) -> utf(v)
        })
    },
    substring(substringUsage),
    substring(substringUsage.replace("SUBSTRING", "SUBSTR")),
    string("TRIM(text) - The text without leading and trailing blanks and control characters.", Seq(1))(a =>
      utf(a(0).toString.trim)
    ),
    computed("UUID([bytes]) - A random UUID, or the UUID of 16 bytes; NULL for any other number of bytes.") {
      case Seq() => expression("uuid()")
      case Seq(bytes) if Widening.fits(bytes.dataType, BinaryType) =>
        val parts = "'^(.{8})(.{4})(.{4})(.{4})(.{12})$', '$1-$2-$3-$4-$5'"
        expression(s"if(length(_1) = 16, regexp_replace(lower(hex(_1)), $parts), NULL)", bytes)
      case args => throw wrong("UUID([bytes])", args)
    }
  ) ++ KsqlUrls.all

  private[functions] def int(values: Array[Any], at: Int, otherwise: Int): Int =
    if (at < values.length) values(at).asInstanceOf[Int] else otherwise
}

/** ksqlDB's URL functions: each gives null if the URL lacks the part or is invalid. */
private[functions] object KsqlUrls {
  import java.net.{URI, URLDecoder, URLEncoder}
  import java.nio.charset.StandardCharsets.UTF_8

  private def part(
      usage: String,
      result: DataType = StringType,
      count: Int = 1
  )(of: Array[String] => Any): KsqlFunction =
    Computed.uniform(usage, Seq(count), StringType, result)(values =>
      of(values.map(_.toString)) match {
        case text: String => KsqlStrings.utf(text)
        case other => other
      }
    )

  val all: Seq[KsqlFunction] = Seq(
    part("URL_DECODE_PARAM(text) - The text with %xx and + decoded.")(a =>
      URLDecoder.decode(a(0), UTF_8)
    ),
    part("URL_ENCODE_PARAM(text) - The text encoded for a URL's query.")(a => URLEncoder.encode(a(0), UTF_8)),
    part("URL_EXTRACT_FRAGMENT(url) - The part after #.")(a => new URI(a(0)).getFragment),
    part("URL_EXTRACT_HOST(url) - The host.")(a => new URI(a(0)).getHost),
    part("URL_EXTRACT_PARAMETER(url, name) - The value of a query parameter; '' if it has none.", count = 2)(a =>
      Option(new URI(a(0)).getQuery).toSeq.flatMap(_.split('&')).collectFirst {
        case p if p == a(1) || p.startsWith(a(1) + "=") => p.drop(a(1).length + 1)
      }.orNull
    ),
    part("URL_EXTRACT_PATH(url) - The path.")(a => new URI(a(0)).getPath),
    part("URL_EXTRACT_PORT(url) - The port, INT.", IntegerType) { a =>
      val port = new URI(a(0)).getPort
      if (port < 0) null else port
    },
    part("URL_EXTRACT_PROTOCOL(url) - The protocol.")(a => new URI(a(0)).getScheme),
    part("URL_EXTRACT_QUERY(url) - The query.")(a => new URI(a(0)).getQuery)
  )
}
