import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * Flink SQL in one JVM. Each line of the input is a word and a statement, separated by a tab: `batch` and `streaming` run
 * it in that mode. Answers with a line: seconds, then the last row's fields, separated by tabs; or `!` and what failed.
 */
public final class FlinkSql {
  public static void main(String[] args) throws Exception {
    TableEnvironment batch = environment(EnvironmentSettings.inBatchMode());
    TableEnvironment streaming = environment(EnvironmentSettings.inStreamingMode());
    // Otherwise an aggregate over changes would emit every intermediate result.
    streaming.getConfig().set("table.exec.mini-batch.enabled", "true");
    streaming.getConfig().set("table.exec.mini-batch.allow-latency", "1 s");
    streaming.getConfig().set("table.exec.mini-batch.size", "50000");
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] asked = line.split("\t", 2);
      System.out.println(answer(asked[0].equals("batch") ? batch : streaming, asked[1]));
    }
  }

  private static TableEnvironment environment(EnvironmentSettings settings) {
    TableEnvironment environment = TableEnvironment.create(settings);
    environment.getConfig().set("parallelism.default", "2");
    environment.getConfig().set("table.local-time-zone", "UTC");
    environment.getConfig().set("taskmanager.memory.managed.size", "512m");
    return environment;
  }

  private static String answer(TableEnvironment environment, String statement) {
    try {
      long began = System.nanoTime();
      TableResult result = environment.executeSql(statement);
      Row last = null;
      if (statement.startsWith("INSERT")) {
        result.await();
      } else {
        try (CloseableIterator<Row> rows = result.collect()) {
          while (rows.hasNext()) last = rows.next();
        }
      }
      StringBuilder answer = new StringBuilder(String.format("%.4f", (System.nanoTime() - began) / 1e9));
      for (int i = 0; last != null && i < last.getArity(); i++) answer.append('\t').append(last.getField(i));
      return answer.toString();
    } catch (Exception e) {
      Throwable cause = e;
      while (cause.getCause() != null) cause = cause.getCause();
      return "! " + String.valueOf(cause).replaceAll("\\s+", " ");
    }
  }
}
