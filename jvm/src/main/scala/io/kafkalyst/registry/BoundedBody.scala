package io.kafkalyst.registry

import java.io.{ByteArrayOutputStream, IOException}
import java.net.http.HttpResponse.BodySubscriber
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{List => JList}
import java.util.concurrent.{CompletableFuture, CompletionStage, Flow}

/**
 * A response body as text, abandoned once it exceeds the size of any schema: the time limit alone would not bound
 * memory.
 */
private[registry] final class BoundedBody extends BodySubscriber[String] {
  private val read = new ByteArrayOutputStream
  private val whole = new CompletableFuture[String]
  private var subscription: Flow.Subscription = _

  override def getBody: CompletionStage[String] = whole

  override def onSubscribe(subscription: Flow.Subscription): Unit = {
    this.subscription = subscription
    subscription.request(Long.MaxValue)
  }

  override def onNext(parts: JList[ByteBuffer]): Unit = parts.forEach { part =>
    if (read.size.toLong + part.remaining <= BoundedBody.most) {
      val bytes = new Array[Byte](part.remaining)
      part.get(bytes)
      read.writeBytes(bytes)
    } else {
      subscription.cancel()
      whole.completeExceptionally(new IOException(s"an answer of more than ${BoundedBody.most >> 20} MiB"))
    }
  }

  override def onError(error: Throwable): Unit = { whole.completeExceptionally(error); () }
  override def onComplete(): Unit = { whole.complete(read.toString(UTF_8)); () }
}

private[registry] object BoundedBody {
  private val most = 32L << 20
}
