import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Two threads that only poll a topic to its end, or only send. Argument: brokers. Each line of the input is `consume
 * TOPIC`, or `produce FROM TO COUNT`, which sends copies of the first records of another topic, followed by the client's
 * properties, as PROPERTY=VALUE. Records are byte arrays unless the properties say otherwise. Answers with a line: seconds,
 * a tab, the number of records.
 */
public final class PlainClient {
  private static final int THREADS = 2;
  private static final int PARTITIONS = 4;
  private static final int COPIED = 50_000;

  public static void main(String[] args) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] asked = line.split(" ");
      List<Callable<Long>> tasks = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int first = i;
        if (asked[0].equals("consume")) {
          tasks.add(() -> consume(client(args[0], asked, 2), asked[1], first, Long.MAX_VALUE, null));
        } else {
          List<byte[]> values = new ArrayList<>();
          consume(client(args[0], asked, asked.length), asked[1], first, COPIED, values);
          tasks.add(() -> produce(client(args[0], asked, 4), asked[2], first, Long.parseLong(asked[3]) / THREADS, values));
        }
      }
      long began = System.nanoTime();
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      long count = 0;
      for (Future<Long> result : threads.invokeAll(tasks)) count += result.get();
      threads.shutdown();
      System.out.printf("%.4f\t%d%n", (System.nanoTime() - began) / 1e9, count);
    }
  }

  /** The brokers, and the properties of the line from a given word on. */
  private static Properties client(String brokers, String[] asked, int from) {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", brokers);
    for (String side : List.of("key", "value")) {
      properties.put(side + ".deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer");
      properties.put(side + ".serializer", "org.apache.kafka.common.serialization.ByteArraySerializer");
    }
    for (int i = from; i < asked.length; i++) {
      String[] pair = asked[i].split("=", 2);
      properties.put(pair[0], pair[1]);
    }
    return properties;
  }

  private static long consume(Properties properties, String topic, int first, long limit, List<byte[]> into) {
    KafkaConsumer<Object, Object> consumer = new KafkaConsumer<>(properties);
    try {
      List<TopicPartition> partitions = new ArrayList<>();
      for (int p = first; p < PARTITIONS; p += THREADS) partitions.add(new TopicPartition(topic, p));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long all = consumer.endOffsets(partitions).values().stream().mapToLong(Long::longValue).sum();
      long count = 0;
      long bytes = 0;
      while (count < Math.min(all, limit)) {
        for (ConsumerRecord<Object, Object> record : consumer.poll(Duration.ofSeconds(1))) {
          count++;
          bytes += record.serializedValueSize();
          if (into != null) into.add((byte[]) record.value());
        }
      }
      return bytes < 0 ? bytes : count;
    } finally {
      consumer.close(Duration.ZERO);
    }
  }

  private static long produce(Properties properties, String topic, int first, long count, List<byte[]> values) {
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(properties)) {
      for (long i = 0; i < count; i++) {
        int partition = first + (int) (i % (PARTITIONS / THREADS)) * THREADS;
        producer.send(new ProducerRecord<>(topic, partition, null, values.get((int) (i % values.size()))));
      }
      producer.flush();
    }
    return count;
  }
}
