package io.kafkalyst.model

object DeadLetters {

  /**
   * Each read would send the letters again.
   *
   * @throws io.kafkalyst.errors.KafkalystException INVALID_PROPERTY if the object sends its dead letters to a topic
   *         that it reads
   */
  def elsewhere(o: TopicObject): Unit = if (o.readsDeadLetters) throw Properties.deadLetterTopic.invalid(
    o.deadLetters,
    "it must be a topic that the object does not read, or its records would be read again; the object reads " + o.topic
  )
}
