import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** The limit: two threads that only poll a topic to its end. Arguments: brokers, topic, runs. A line of seconds per run. */
public final class PlainConsumer {
  public static void main(String[] args) throws Exception {
    for (int run = 0; run < Integer.parseInt(args[2]); run++) {
      long began = System.nanoTime();
      ExecutorService threads = Executors.newFixedThreadPool(2);
      List<Future<Long>> results = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        int first = i;
        results.add(threads.submit(() -> read(args[0], args[1], first)));
      }
      long count = 0;
      for (Future<Long> result : results) count += result.get();
      threads.shutdown();
      System.out.printf("%.4f %d%n", (System.nanoTime() - began) / 1e9, count);
    }
  }

  private static long read(String brokers, String topic, int first) {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", brokers);
    properties.put("key.deserializer", "org.apache.kafka.common.serialization.ByteBufferDeserializer");
    properties.put("value.deserializer", "org.apache.kafka.common.serialization.ByteBufferDeserializer");
    // As a bounded reader would: nothing to wait for at the end of the topic, nor when closing.
    properties.put("fetch.max.wait.ms", "20");
    KafkaConsumer<ByteBuffer, ByteBuffer> consumer = new KafkaConsumer<>(properties);
    try {
      List<TopicPartition> partitions = List.of(new TopicPartition(topic, first), new TopicPartition(topic, first + 2));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long left = consumer.endOffsets(partitions).values().stream().mapToLong(Long::longValue).sum();
      long count = 0;
      long bytes = 0;
      while (count < left) {
        for (ConsumerRecord<ByteBuffer, ByteBuffer> record : consumer.poll(Duration.ofSeconds(1))) {
          count++;
          bytes += record.value().remaining();
        }
      }
      return bytes < 0 ? bytes : count;
    } finally {
      consumer.close(Duration.ZERO);
    }
  }
}
