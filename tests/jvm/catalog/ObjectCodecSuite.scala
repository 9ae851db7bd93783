package io.kafkalyst.catalog

import scala.util.Random

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model._
import io.kafkalyst.names.InternalSchema
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class ObjectCodecSuite extends AnyFunSuite {
  private val types =
    Seq(
      StringType,
      LongType,
      DecimalType(9, 2),
      ArrayType(IntegerType),
      StructType.fromDDL("`a b` INT, c STRING, C ARRAY<STRUCT<x: INT, X: INT>>")
    )
  private val names =
    Seq("k", "K", "@ID", "MESSAGE.AMOUNT", "SELECT", "a b", "`tick`", "\"quote\"", "ü🙂", "x,y", "[\"k\"]")

  private def random(dice: Random): TopicObject = {
    def side() = SideFormat(
      Seq("JSON", "AVRO", "KAFKA", "NONE")(dice.nextInt(4)),
      if (dice.nextBoolean()) Some(dice.nextInt(1000)) else None,
      if (dice.nextBoolean()) Map("WRAP_SINGLE" -> "true", "DELIMITER" -> "|") else Map.empty
    )
    val columns = dice.shuffle(names).take(1 + dice.nextInt(names.size)).map { name =>
      val metadata =
        if (dice.nextInt(3) == 0)
          Some(MetadataColumn(
            Seq("offset", "headers", "headers.", "headers.a\"b,c")(dice.nextInt(4)),
            dice.nextBoolean()
          ))
        else None
      val side = if (metadata.isEmpty && dice.nextBoolean()) Side.Key else Side.Value
      TopicColumn(name, types(dice.nextInt(types.size)), side, metadata)
    }
    val options = Properties.kept.filter(_ => dice.nextInt(3) == 0).map(p => p.name -> names(dice.nextInt(names.size)))
    TopicObject(
      if (dice.nextBoolean()) ObjectKind.Stream else ObjectKind.Table,
      names(dice.nextInt(names.size)),
      side(),
      side(),
      columns,
      OnError.all(dice.nextInt(OnError.all.size)),
      if (dice.nextBoolean()) Some("dead letters") else None,
      options.toMap
    )
  }

  test("what is stored is what comes back") {
    val dice = new Random(3)
    for (_ <- 1 to 2000) {
      val given = random(dice)
      assert(ObjectCodec.decode(InternalSchema.of(given.columns), ObjectCodec.encode(given)) == given)
    }
  }

  test("roles survive a metastore that drops the columns' metadata") {
    val dice = new Random(5)
    for (_ <- 1 to 200) {
      val given = random(dice)
      val bare = StructType(InternalSchema.of(given.columns).map(f => StructField(f.name, f.dataType)))
      assert(ObjectCodec.decode(bare, ObjectCodec.encode(given)) == given)
    }
  }

  test("a policy that nobody knows, as ALTER TABLE may set, is the strictest") {
    val given = random(new Random(9))
    val altered = ObjectCodec.encode(given) + (ObjectCodec.onError -> "skp")
    assert(ObjectCodec.decode(InternalSchema.of(given.columns), altered).onError == OnError.Fail)
  }

  test("options alone carry the columns too") {
    val given = random(new Random(7))
    val options = ObjectCodec.encodeWithSchema(given)
    assert(ObjectCodec.decode(ObjectCodec.schemaIn(options).get, options) == given)
  }

  test("a secret in an entry that others wrote is not in the object") {
    val o = random(new Random(1))
    val read = ObjectCodec.decode(
      InternalSchema.of(o.columns),
      ObjectCodec.encode(o) ++ Map(
        "properties.sasl.jaas.config" -> "canary",
        "properties.bootstrap.servers" -> "x://me:canary@host:1",
        "properties.client.id" -> "mine"
      )
    )
    assert(read.options("PROPERTIES.CLIENT.ID") == "mine" && read.options.contains("PROPERTIES.SASL.JAAS.CONFIG"))
    assert(!read.toString.contains("canary") && !ObjectCodec.encode(read).values.exists(_.contains("canary")))
  }

  test("no stored type makes an instance of a class that it names") {
    val o = random(new Random(3))
    val mine = "{\"type\":\"udt\",\"class\":\"" + classOf[ObjectCodecSuite.Tempting].getName +
      "\",\"pyClass\":null,\"sqlType\":\"integer\"}"
    def struct(field: String, metadata: String = "{}") =
      s"""{"type":"struct","fields":[{"name":"a","type":$field,"nullable":true,"metadata":$metadata}]}"""
    val array = s"""{"type":"array","elementType":$mine,"containsNull":true}"""
    val hidden = s"""{"kafkalyst.type":"${mine.replace("\"", "\\\"")}"}"""
    val schemas = Seq(struct(mine), struct(array), struct(struct(array)))
    val stored = ObjectCodec.encodeWithSchema(o)
    val unreadable = "KAFKALYST_DEFINITION_UNREADABLE"
    for (json <- schemas) {
      val read = intercept[KafkalystException](ObjectCodec.schemaIn(stored + ("kafkalyst.schema" -> json)))
      assert(read.getCondition == unreadable)
    }
    for (json <- schemas :+ struct("\"integer\"", hidden)) {
      val renamed = stored + ("kafkalyst.renamed.columns" -> json)
      val read = intercept[KafkalystException](ObjectCodec.decode(InternalSchema.of(o.columns), renamed))
      assert(read.getCondition == unreadable)
    }
    assert(ObjectCodecSuite.made == 0)
  }
}

object ObjectCodecSuite {
  @volatile private var made = 0

  final class Tempting {
    made += 1
  }
}
