package io.kafkalyst.catalog
package define

import io.kafkalyst.registry.RegisteredSchema

/** Is notified of each change that a definition makes at the registry. */
private[kafkalyst] trait RegistrationListener {

  /** A subject was created with this schema. */
  def onNewSubject(subject: String, schema: RegisteredSchema): Unit = ()

  /** A registration succeeded with a warning: a clause without capital letter or full stop. */
  def onWarning(text: String): Unit = ()
}

private[kafkalyst] object RegistrationListener {
  object Ignore extends RegistrationListener
}
