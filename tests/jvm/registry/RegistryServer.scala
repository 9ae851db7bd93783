package io.kafkalyst.registry

import java.net.InetSocketAddress
import java.util.concurrent.{ConcurrentLinkedQueue, Executors}
import javax.net.ssl.{SSLContext, SSLParameters}

import scala.jdk.CollectionConverters._

import com.sun.net.httpserver.{HttpExchange, HttpsConfigurator, HttpServer, HttpsParameters, HttpsServer}

/**
 * An HTTP server that answers as a test says.
 *
 * @param tls  its certificate and whom it trusts; plain HTTP without
 * @param mtls whether it asks clients for their certificate
 */
final class RegistryServer(answer: HttpExchange => Unit, tls: Option[SSLContext] = None, mtls: Boolean = false)
    extends AutoCloseable {
  val seen = new ConcurrentLinkedQueue[String]
  private val pool = Executors.newCachedThreadPool()
  private val server = tls match {
    case None => HttpServer.create(new InetSocketAddress("localhost", 0), 0)
    case Some(context) =>
      val secure = HttpsServer.create(new InetSocketAddress("localhost", 0), 0)
      secure.setHttpsConfigurator(new HttpsConfigurator(context) {
        override def configure(parameters: HttpsParameters): Unit = {
          val wanted: SSLParameters = context.getDefaultSSLParameters
          wanted.setNeedClientAuth(mtls)
          parameters.setSSLParameters(wanted)
        }
      })
      secure
  }
  server.setExecutor(pool)
  server.createContext(
    "/",
    exchange => {
      seen.add(s"${exchange.getRequestMethod} ${exchange.getRequestURI}")
      try answer(exchange)
      finally exchange.close()
    }
  )
  server.start()

  def url: String = s"${if (tls.isDefined) "https" else "http"}://localhost:${server.getAddress.getPort}"
  def requests: Seq[String] = seen.asScala.toSeq

  override def close(): Unit = {
    server.stop(0)
    pool.shutdownNow()
    ()
  }
}

object RegistryServer {
  def reply(exchange: HttpExchange, status: Int, body: String): Unit = {
    val bytes = body.getBytes("UTF-8")
    exchange.getRequestBody.readAllBytes()
    exchange.sendResponseHeaders(status, if (bytes.isEmpty) -1 else bytes.length)
    exchange.getResponseBody.write(bytes)
  }

  def served[T](answer: HttpExchange => Unit)(use: RegistryServer => T): T = {
    val server = new RegistryServer(answer)
    try use(server)
    finally server.close()
  }
}
