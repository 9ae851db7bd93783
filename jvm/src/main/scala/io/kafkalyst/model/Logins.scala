package io.kafkalyst.model

import java.util.Locale

import io.kafkalyst.errors.{KafkalystException, Redaction}

/** Keeps a login with the hosts that it was given for. */
object Logins {

  /**
   * @param now       what is in force, by name
   * @param own       what the application said of it
   * @param addresses names of the addresses that a login is sent to
   * @param via       names of what stands between, such as a proxy
   * @param isLogin   whether a name is that of a login
   * @throws io.kafkalyst.errors.KafkalystException LOGIN_OF_OTHER_HOST where a login of the application's would go
   *         where the application does not send it
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
        case (name, value) if isLogin(name) && value.nonEmpty && own.get(name).contains(value) =>
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

  private val address = """(?:([^:/?#]+)://)?(?:[^/?#]*@)?([^/?#]*).*""".r

  /** Scheme, host and port of each address of a list, without who logs in and without path. */
  private[model] def hosts(text: String): Set[String] =
    text.split(',').map(_.trim.toLowerCase(Locale.ROOT)).filter(_.nonEmpty).map {
      case address(scheme, host) => s"${Option(scheme).getOrElse("")}://$host"
      case other => other
    }.toSet
}
