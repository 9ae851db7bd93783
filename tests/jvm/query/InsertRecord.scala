package io.kafkalyst.query

import io.kafkalyst.streams.QueryShape

/** The record of a continuous INSERT that no test runs. */
object InsertRecord {
  def apply(
      id: String,
      sink: SinkName,
      catalog: String,
      database: String = "",
      checkpoint: String = "/none",
      state: String = QueryRecord.running
  ): QueryRecord = QueryRecord(
    id,
    sink,
    Nil,
    checkpoint,
    "INSERT INTO sink SELECT * FROM source EMIT CHANGES",
    inserts = true,
    catalog = catalog,
    database = database,
    settings = Map.empty,
    shape = QueryShape(Nil, Nil),
    state = state
  )
}
