package io.kafkalyst.catalog
package define

import io.kafkalyst.registry.RegisteredSchema

/** Is notified of each change that a definition makes at the registry. */
private[kafkalyst] trait RegistrationListener {

  /** A subject that did not exist before, with its first schema. */
  def onNewSubject(subject: String, schema: RegisteredSchema): Unit = ()

  /** What the user should know of a registration that succeeded: a clause without capital or full stop. */
  def onWarning(text: String): Unit = ()
}

private[kafkalyst] object RegistrationListener {
  object Ignore extends RegistrationListener
}
