package io.kafkalyst.clients

import java.time.Duration
import java.util.concurrent.{ExecutionException, TimeUnit}

import org.apache.kafka.clients.admin.Admin
import org.apache.kafka.common.{KafkaException, KafkaFuture}
import org.apache.kafka.common.errors.{ApiException, AuthenticationException, TimeoutException}

import scala.jdk.CollectionConverters._

/** The admin clients of this JVM. Each caller has its own during its requests, so that an idle one can be closed. */
private[kafkalyst] object Admins {
  private[clients] val most = 32
  private val kept = new KeptClients[Admin](make, close, most)

  private def make(properties: Map[String, AnyRef]): Admin = {
    ClientNames.check(properties.keys)
    Admin.create(properties.asJava)
  }

  // Zero would wait for the client's thread without a limit, which may be looking up a broker's name.
  private def close(admin: Admin): Unit = admin.close(Duration.ofMillis(1))

  /** Makes requests with a client; it is kept for others, unless it could not connect or log in. */
  def use[T](properties: Map[String, String])(requests: Admin => T): T = {
    val admin = kept.acquire(properties)
    var isHealthy = false
    try {
      val answer = requests(admin)
      isHealthy = true
      answer
    } catch {
      case refused: ApiException =>
        // A client that failed keeps failing, even once the broker accepts its login.
        isHealthy = !refused.isInstanceOf[AuthenticationException] && !refused.isInstanceOf[TimeoutException]
        throw refused
    } finally if (isHealthy) kept.release(properties, admin) else close(admin)
  }

  /**
   * The answer to a request; a KafkaException if it failed.
   *
   * @param limitMs maximum wait, after which it throws Kafka's TimeoutException; by default the client's own limit
   */
  def answer[T](future: KafkaFuture[T], limitMs: Long = Long.MaxValue): T =
    try future.get(limitMs, TimeUnit.MILLISECONDS)
    catch {
      case e: ExecutionException =>
        throw (e.getCause match {
          case known: KafkaException => known
          case other => new KafkaException(other)
        })
      case e: java.util.concurrent.TimeoutException => throw new TimeoutException(s"no answer in $limitMs ms", e)
    }
}
