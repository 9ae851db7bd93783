package io.kafkalyst.clients

import java.net.{InetAddress, ServerSocket}
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.{util => ju}
import javax.security.auth.callback.Callback
import javax.security.auth.login.AppConfigurationEntry

import org.apache.kafka.common.errors.TimeoutException
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler
import org.scalatest.funsuite.AnyFunSuite

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.DurationInt
import scala.util.Using

/** Clients whose own thread hangs: in a login here, and elsewhere in the lookup of a broker's name. */
class HangingClientsSuite extends AnyFunSuite {
  import HangingClientsSuite._

  /** Runs a call that closes a client while the client's thread hangs. */
  private def closes(name: String)(call: (Map[String, String], Hang) => Unit): Unit = {
    val hang = new Hang
    hangs.put(name, hang)
    Using.resource(new ServerSocket(0, 50, InetAddress.getLoopbackAddress)) { broker =>
      val properties = Map(
        "bootstrap.servers" -> s"127.0.0.1:${broker.getLocalPort}",
        "security.protocol" -> "SASL_PLAINTEXT",
        "sasl.mechanism" -> "PLAIN",
        "sasl.jaas.config" -> ("org.apache.kafka.common.security.plain.PlainLoginModule required " +
          "username=\"me\" password=\"secret\";"),
        "sasl.client.callback.handler.class" -> classOf[Login].getName,
        Login.setting -> name
      )
      try Await.result(Future(call(properties, hang))(ExecutionContext.global), 1.minute)
      finally hang.ends.countDown()
    }
  }

  test("an admin client") {
    closes("admin") { (properties, hang) =>
      intercept[TimeoutException](Admins.use(properties) { admin =>
        admin.listTopics()
        hang.await()
        throw new TimeoutException("no answer")
      })
      ()
    }
  }

  test("a producer") {
    closes("producer") { (properties, hang) =>
      val producer = Producers.acquire(properties)
      hang.await()
      Producers.discard(producer)
    }
  }

  test("a producer, in a cancelled task") {
    closes("cancelled") { (properties, hang) =>
      val producer = Producers.acquire(properties)
      hang.await()
      Thread.currentThread().interrupt()
      Producers.discard(producer)
      assert(Thread.interrupted())
    }
  }
}

private object HangingClientsSuite {
  val hangs = new ju.concurrent.ConcurrentHashMap[String, Hang]()

  final class Hang {
    val begun, ends = new CountDownLatch(1)
    def await(): Unit = assert(begun.await(60, TimeUnit.SECONDS))
  }

  /** Asked for the user's name by the client's thread when it connects. */
  final class Login extends AuthenticateCallbackHandler {
    private var hang: Hang = _

    override def configure(
        configs: ju.Map[String, _],
        mechanism: String,
        entries: ju.List[AppConfigurationEntry]
    ): Unit = hang = hangs.get(configs.get(Login.setting).toString)

    override def handle(callbacks: Array[Callback]): Unit = {
      hang.begun.countDown()
      hang.ends.await()
    }

    override def close(): Unit = ()
  }

  object Login { val setting = "test.hang" }
}
