package io.kafkalyst.model

import java.util.Locale

import io.kafkalyst.errors.Conditions

/** The properties of a catalog entry, among which users, Spark and other tools keep their own. */
object EntryProperties {

  /**
   * Checks the properties as a WITH clause does. Others may have any name that has a dot or is not nearly a property's.
   *
   * @return those of a WITH clause, by upper-case name
   * @throws io.kafkalyst.errors.KafkalystException the errors of [[Properties.checked]]
   */
  def checked(given: Seq[(String, String)]): Map[String, String] =
    Properties.checked(given.filter { case (name, _) => isOne(name) || isMisspelt(name) })

  /** Whether the name, in any case, is a property of a WITH clause. */
  def isOne(name: String): Boolean = Properties.isOne(name) || Properties.isKept(name.toUpperCase(Locale.ROOT))

  private def isMisspelt(name: String) =
    !name.contains('.') && Conditions.isMisspelt(name, Properties.all.map(_.name))
}
