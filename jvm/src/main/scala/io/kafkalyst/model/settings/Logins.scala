package io.kafkalyst.model.settings

import java.util.Locale

import io.kafkalyst.errors.{KafkalystException, Redaction}

/** Restricts a login to the hosts that it was configured for. */
object Logins {

  /**
   * @param now       effective values, by name
   * @param own       the application's values
   * @param addresses names of the addresses that a login is sent to; they may have one themselves, before an `@`
   * @param via       names of intermediaries, such as a proxy
   * @param isLogin   whether a name belongs to a login
   * @throws io.kafkalyst.errors.KafkalystException LOGIN_OF_OTHER_HOST if a login of the application would be sent to a
   * host that the application did not configure
   */
  def stay(
      now: Map[String, String],
      own: Map[String, String],
      addresses: Seq[String],
      via: Seq[String] = Nil
  )(isLogin: String => Boolean): Unit = {
    val moved = addresses.filter(a => own.get(a).exists(home => !hosts(now.getOrElse(a, "")).subsetOf(hosts(home)))) ++
      via.filter(v => now.get(v).exists(_.nonEmpty) && now.get(v) != own.get(v))
    for (address <- moved.headOption) {
      now.toSeq.sorted.collectFirst {
        case (name, value)
            if (isLogin(name) || addresses.contains(name) && value.contains("@")) && value.nonEmpty &&
              own.get(name).contains(value) =>
          throw KafkalystException(
            "LOGIN_OF_OTHER_HOST",
            "login" -> name,
            "home" -> Redaction.address(own.getOrElse(address, "no such host")),
            "address" -> address,
            "other" -> Redaction.address(now.getOrElse(address, ""))
          )
      }
    }
  }

  // Only addresses that all clients parse alike: Kafka's client takes the last host and port of its text.
  private val address = """(?:([^:/?#@\\\s]+)://)?(?:[^/?#\\\s]*@)?([^/?#@\\\s]+)(?:/[^?#@:\\\s]*)?""".r

  /**
   * Scheme, host and port of each address of a list, without user info and path. Addresses of other forms are
   * unchanged.
   */
  private[model] def hosts(text: String): Set[String] =
    text.split(',').map(_.trim.toLowerCase(Locale.ROOT)).filter(_.nonEmpty).map {
      case address(scheme, host) => s"${Option(scheme).getOrElse("")}://$host"
      case other => other
    }.toSet
}
