package io.kafkalyst.read

import java.time.{Instant, ZoneId}

import scala.util.Random

import io.kafkalyst.read.offsets.{Narrowing, OffsetPushdown, TopicBounds}
import io.kafkalyst.metadata.Ranges
import io.kafkalyst.model._
import org.apache.spark.sql.connector.expressions.{Cast, Expression, Expressions, Literal, NamedReference}
import org.apache.spark.sql.connector.expressions.filter._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Predicates over simulated topics: what the narrowed offsets give must be what a look at every record gives. */
class PushdownSuite extends AnyFunSuite {
  private val zone = "America/St_Johns"

  private case class Rec(partition: Int, offset: Long, millis: Long)

  private val topic = TopicObject(
    ObjectKind.Stream,
    "t",
    SideFormat("NONE"),
    SideFormat("JSON"),
    Seq(
      TopicColumn("v", LongType, Side.Value),
      TopicColumn("part", LongType, Side.Value, Some(MetadataColumn("partition"))),
      TopicColumn("off", IntegerType, Side.Value, Some(MetadataColumn("offset"))),
      TopicColumn("ts", TimestampType, Side.Value, Some(MetadataColumn("timestamp"))),
      TopicColumn("ms", LongType, Side.Value, Some(MetadataColumn("timestamp")))
    )
  )

  /** Gaps between offsets; timestamps that fall now and then, or are missing, unless they must not be. */
  private class Topic(dice: Random, monotonic: Boolean) extends TopicBounds {
    override def client: AnyRef = this
    // About a day on which clocks were set back over midnight in the session's zone.
    private val start = Instant.parse("2009-11-01T00:00:00Z").toEpochMilli
    val records: Map[Int, Seq[Rec]] = (0 until 1 + dice.nextInt(3)).map { p =>
      var offset = dice.nextInt(50).toLong
      var clock = start
      p -> Seq.fill(dice.nextInt(60)) {
        offset += 1 + (if (dice.nextInt(4) == 0) dice.nextInt(2000) else 0)
        clock += dice.nextInt(1800000)
        Rec(p, offset, if (monotonic) clock else if (dice.nextInt(9) == 0) -1L else clock - dice.nextInt(4 * 3600000))
      }
    }.toMap
    def all: Seq[Rec] = records.values.flatten.toSeq
    override def isMonotonic: Boolean = monotonic
    override def offsets(): Map[Int, (Long, Long)] = records.map { case (p, rs) =>
      p -> (rs.headOption.fold(0L)(_.offset), rs.lastOption.fold(0L)(_.offset + 1))
    }
    // A broker looks for no time below 0.
    override def at(time: Long): Map[Int, Long] =
      records.flatMap { case (p, rs) => rs.find(_.millis >= math.max(0L, time)).map(p -> _.offset) }
  }

  private def literal(of: Any, as: DataType): Literal[Any] = new Literal[Any] {
    override def value(): Any = of
    override def dataType(): DataType = as
    override def children(): Array[Expression] = Array.empty
    override def toString: String = of.toString
  }

  /** A number of a record as an expression, and what it is. */
  private case class Tested(expression: Expression, of: Rec => BigDecimal, sample: Rec => Literal[Any])

  private def tested(dice: Random): Tested = {
    def near(n: Long, by: Int) = n + (if (dice.nextBoolean()) 0 else dice.nextInt(2 * by + 1) - by)
    def long(name: String, of: Rec => Long, by: Int, t: DataType = LongType) = {
      val column = Expressions.column(name)
      def sample(r: Rec) =
        if (t == IntegerType) literal(near(of(r), by).toInt, t) else literal(near(of(r), by), t)
      val plain = Tested(column, r => BigDecimal(of(r)), sample)
      if (t == TimestampType || dice.nextInt(4) > 0) plain
      else if (dice.nextBoolean()) Tested(
        new Cast(column, t, DecimalType(22, 2)),
        plain.of,
        r => literal(Decimal(BigDecimal(near(of(r), by) * 100 + dice.nextInt(100), 2), 22, 2), DecimalType(22, 2))
      )
      else Tested(new Cast(column, t, LongType), plain.of, r => literal(near(of(r), by), LongType))
    }
    val ts: NamedReference = Expressions.column("ts")
    dice.nextInt(10) match {
      case 0 => long("part", _.partition.toLong, 2)
      case 1 => long("ROWPARTITION", _.partition.toLong, 2, IntegerType)
      case 2 => long("off", _.offset, 5, IntegerType)
      case 3 => long("ROWOFFSET", _.offset, 300)
      case 4 => long("ms", _.millis, 1000000)
      case 5 => long("ROWTIME", _.millis, 3)
      case 6 => long("ts", _.millis * 1000, 1500, TimestampType)
      case 7 => Tested(
          new Cast(ts, TimestampType, LongType),
          r => BigDecimal(Math.floorDiv(r.millis, 1000L)),
          r => literal(near(Math.floorDiv(r.millis, 1000L), 2000), LongType)
        )
      case 8 =>
        def day(r: Rec) = Instant.ofEpochMilli(r.millis).atZone(ZoneId.of(zone)).toLocalDate.toEpochDay
        Tested(
          new Cast(ts, TimestampType, DateType),
          r => BigDecimal(day(r)),
          r => literal(near(day(r), 1).toInt, DateType)
        )
      // A value's column narrows nothing.
      case _ => Tested(Expressions.column("v"), r => BigDecimal(r.offset % 7), r => literal(r.offset % 7, LongType))
    }
  }

  private def number(l: Literal[Any]): BigDecimal = l.value match {
    case d: Decimal => d.toBigDecimal
    case n => BigDecimal(n.toString)
  }

  private val comparisons: Map[String, (BigDecimal, BigDecimal) => Boolean] = Map(
    "=" -> (_ == _),
    "<=>" -> (_ == _),
    "<>" -> (_ != _),
    "<" -> (_ < _),
    "<=" -> (_ <= _),
    ">" -> (_ > _),
    ">=" -> (_ >= _)
  )

  private def random(dice: Random, records: Seq[Rec], depth: Int): (Predicate, Rec => Boolean) = {
    def sample = if (records.isEmpty) Rec(0, 5, 1000) else records(dice.nextInt(records.size))
    def leaf: (Predicate, Rec => Boolean) = {
      val by = tested(dice)
      if (dice.nextInt(5) == 0) {
        val values = Seq.fill(1 + dice.nextInt(4))(by.sample(sample))
        (new Predicate("IN", (by.expression +: values).toArray), r => values.exists(number(_) == by.of(r)))
      } else {
        val (operator, compare) = comparisons.toSeq(dice.nextInt(comparisons.size))
        val value = by.sample(sample)
        if (dice.nextInt(3) > 0)
          (new Predicate(operator, Array(by.expression, value)), r => compare(by.of(r), number(value)))
        else (new Predicate(operator, Array(value, by.expression)), r => compare(number(value), by.of(r)))
      }
    }
    if (depth == 0) leaf
    else {
      lazy val (a, isA) = random(dice, records, depth - 1)
      lazy val (b, isB) = random(dice, records, depth - 1)
      dice.nextInt(8) match {
        case 0 | 1 | 2 => (new And(a, b), r => isA(r) && isB(r))
        case 3 | 4 => (new Or(a, b), r => isA(r) || isB(r))
        case 5 => (new Not(a), r => !isA(r))
        case 6 if dice.nextInt(10) == 0 => (new AlwaysFalse, _ => false)
        case _ => leaf
      }
    }
  }

  private def read(topic: Topic, ranges: Ranges): Seq[Rec] = {
    val narrowing = new Narrowing(ranges, topic, topic.offsets())
    topic.offsets().keys.toSeq.flatMap { p =>
      narrowing(p, -2, -1).flatMap(part => topic.records(p).filter(r => r.offset >= part.from && r.offset < part.until))
    }
  }

  test("12,000 random predicates keep the same records with and without push-down") {
    val dice = new Random(41)
    val pushdown = new OffsetPushdown(topic, zone)
    var narrowed, total, fetched, kept = 0L
    for (_ <- 1 to 1200) {
      val log = new Topic(dice, monotonic = dice.nextBoolean())
      for (_ <- 1 to 10) {
        val (predicate, isKept) = random(dice, log.all, dice.nextInt(4))
        val ranges = pushdown.ranges(predicate)
        val got = read(log, ranges)
        assert(got.distinct.size == got.size, s"read twice: $predicate $ranges")
        val wanted = log.all.filter(isKept).toSet
        assert(got.filter(isKept).toSet == wanted, s"$predicate as $ranges")
        if (!ranges.isAll) narrowed += 1
        total += log.all.size
        fetched += got.size
        kept += wanted.size
      }
    }
    // The test tests something: most predicates narrow, and what is read is nearer to what is kept than to everything.
    assert(narrowed > 8000)
    assert(fetched < total * 3 / 4 && kept > total / 10)
  }

  test("a planned range keeps its own bounds, and takes the partition's where it is open") {
    val log = new Topic(new Random(1), monotonic = true) {
      override def offsets(): Map[Int, (Long, Long)] = Map(0 -> (100L, 9000L))
      override def at(time: Long): Map[Int, Long] = if (time <= 5) Map(0 -> 5000L) else Map.empty
    }
    def narrowed(from: Long, until: Long, predicate: Predicate) =
      new Narrowing(new OffsetPushdown(topic, zone).ranges(predicate), log, log.offsets())(0, from, until).map(p =>
        p.from -> p.until
      )
    def offset(operator: String, n: Long) =
      new Predicate(operator, Array(Expressions.column("ROWOFFSET"), literal(n, LongType)))
    def time(operator: String, n: Long) =
      new Predicate(operator, Array(Expressions.column("ROWTIME"), literal(n, LongType)))
    assert(narrowed(-2, -1, offset(">=", 4000)) == Seq(4000L -> 9000L))
    assert(narrowed(-2, -1, offset("<", 4000)) == Seq(100L -> 4000L))
    assert(narrowed(4500, 4600, offset(">", 4000)) == Seq(4500L -> 4600L))
    assert(narrowed(-2, -1, offset("<", 100)).isEmpty)
    assert(narrowed(-2, -1, offset("<>", 5000)) == Seq(100L -> 9000L))
    assert(narrowed(-2, -1, new Or(offset("<", 200), offset(">=", 8000))) == Seq(100L -> 200L, 8000L -> 9000L))
    assert(narrowed(-2, -1, time(">=", 5)) == Seq(5000L -> 9000L))
    assert(narrowed(-2, -1, time("<", 5)) == Seq(100L -> 5000L))
    assert(narrowed(-2, -1, time(">", 5)).isEmpty)
    assert(narrowed(9000, -1, offset(">=", 0)).isEmpty && narrowed(-2, 100, offset(">=", 0)).isEmpty)
    val other = new Predicate("=", Array(Expressions.column("ROWPARTITION"), literal(1, IntegerType)))
    assert(narrowed(-2, -1, other).isEmpty)
  }

  test("only what begins with its partition may begin later") {
    val log = new Topic(new Random(1), monotonic = true) {
      override def offsets(): Map[Int, (Long, Long)] = Map(0 -> (100L, 9000L))
    }
    val all = new Narrowing(Ranges.all, log, log.offsets())
    assert(all(0, -2, -1) == Seq(Narrowing.Part(100, 9000, isWhole = true)))
    assert(all(0, 100, -1) == Seq(Narrowing.Part(100, 9000, isWhole = false)))
    assert(all(1, -2, -1).isEmpty)
  }

  test("ROWTIME of a column narrows nothing, the record's own timestamp still does") {
    val of = topic.copy(options = Map("TIMESTAMP" -> "v"))
    def ranges(column: String) = new OffsetPushdown(of, zone)
      .ranges(new Predicate(">", Array(Expressions.column(column), literal(5L, LongType))))
    assert(ranges("ROWTIME").isAll)
    assert(!ranges("ms").isAll)
  }

  test("what EXPLAIN shows") {
    val pushdown = new OffsetPushdown(topic, "UTC")
    val both = new And(
      new Predicate("IN", Array(Expressions.column("part"), literal(1L, LongType), literal(3L, LongType))),
      new Predicate(">=", Array(Expressions.column("ts"), literal(1500L, TimestampType)))
    )
    assert(pushdown.ranges(both).toString == "partition (= 1, = 3) and timestamp (from 1970-01-01T00:00:00.002Z)")
    assert(pushdown.ranges(new AlwaysFalse).toString == "nothing")
  }
}
