import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * A session of Flink SQL in streaming mode. Each line of the input is a statement in Base64. The answer is a line of
 * JSON: `{"rows": [["+I", value, …], …]}`, or `{"error": "…"}`. Each value is a text with its kind before it, as `n:1`;
 * arrays and ROWs are arrays, and a MAP is an array of pairs under the name `map`.
 */
public final class FlinkSession {
  public static void main(String[] args) throws Exception {
    TableEnvironment session = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    session.getConfig().set("parallelism.default", "1");
    session.getConfig().set("table.local-time-zone", "UTC");
    session.getConfig().set("taskmanager.memory.managed.size", "64m");
    session.getConfig().set("taskmanager.memory.network.min", "16m");
    session.getConfig().set("taskmanager.memory.network.max", "16m");
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      output.println(answer(session, new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8)));
    }
  }

  private static String answer(TableEnvironment session, String statement) {
    try {
      TableResult result = session.executeSql(statement);
      if (!statement.startsWith("SELECT")) {
        result.await();
        return "{\"rows\": []}";
      }
      List<String> rows = new ArrayList<>();
      try (CloseableIterator<Row> all = result.collect()) {
        while (all.hasNext()) {
          Row row = all.next();
          List<String> values = new ArrayList<>(List.of(text("", row.getKind().shortString())));
          for (int i = 0; i < row.getArity(); i++) values.add(value(row.getField(i)));
          rows.add(array(values));
        }
      }
      return "{\"rows\": " + array(rows) + "}";
    } catch (Exception e) {
      List<String> causes = new ArrayList<>();
      for (Throwable cause = e; cause != null; cause = cause.getCause()) causes.add(String.valueOf(cause));
      return "{\"error\": " + text("", String.join(" < ", causes)) + "}";
    }
  }

  private static String value(Object value) {
    if (value == null) return "null";
    if (value instanceof Boolean) return value.toString();
    if (value instanceof Float || value instanceof Double) return text("f:", ((Number) value).doubleValue());
    if (value instanceof BigDecimal number) return text("n:", number.toPlainString());
    if (value instanceof Number) return text("n:", value);
    if (value instanceof byte[] bytes) return text("b:", HexFormat.of().formatHex(bytes));
    if (value instanceof LocalDateTime time) return text("l:", nanos(time.toInstant(ZoneOffset.UTC)));
    if (value instanceof Instant time) return text("i:", nanos(time));
    if (value instanceof Object[] elements) {
      return array(Arrays.stream(elements).map(FlinkSession::value).toList());
    }
    if (value instanceof Map<?, ?> map) {
      List<String> pairs = new ArrayList<>();
      map.forEach((key, of) -> pairs.add(array(List.of(value(key), value(of)))));
      return "{\"map\": " + array(pairs) + "}";
    }
    if (value instanceof Row row) {
      List<String> fields = new ArrayList<>();
      for (int i = 0; i < row.getArity(); i++) fields.add(value(row.getField(i)));
      return array(fields);
    }
    return text(value instanceof String ? "s:" : "t:", value);
  }

  private static String nanos(Instant time) {
    return new BigDecimal(time.getEpochSecond()).add(new BigDecimal(time.getNano()).movePointLeft(9)).toPlainString();
  }

  private static String array(List<String> elements) {
    return "[" + String.join(", ", elements) + "]";
  }

  private static String text(String kind, Object value) {
    StringBuilder text = new StringBuilder("\"").append(kind);
    for (char c : String.valueOf(value).toCharArray()) {
      if (c >= ' ' && c < 127 && c != '"' && c != '\\') text.append(c);
      else text.append(String.format("\\u%04x", (int) c));
    }
    return text.append('"').toString();
  }
}
