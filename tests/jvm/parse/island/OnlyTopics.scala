package io.kafkalyst.parse.island

/** Names as in a session with topics named `topic`, a foreign table `lake.db.plain (Id, Amount)`, and catalogs. */
private[island] object OnlyTopics extends KnownSources {
  override def isTopic(parts: Seq[String]): Boolean = parts.last == "topic"
  override def namesOf(topic: Seq[String]): Seq[String] = Seq("ID", "S", "X")
  override def foreign(parts: Seq[String]): Option[Seq[String]] =
    Option.when(parts.last == "plain")(Seq("Id", "Amount", "s2"))
  override def isCatalog(name: String): Boolean = Set("lake", "kafka")(name)
}
