package io.kafkalyst.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** A parser that keeps what it was given and what it answered, to show that another one in front changes neither. */
public final class RecordingParser implements ParserInterface {
  private static final Pattern STATEMENT_END = Pattern.compile("(?<=[^\\\\]);");

  private final ParserInterface below;
  private final List<String> texts = new ArrayList<>();
  private final List<Object> answers = new ArrayList<>();

  /** @param below null for a parser of another extension, which takes any text */
  public RecordingParser(ParserInterface below) {
    this.below = below;
  }

  /** The statements of a file of Spark's SQL tests, comment lines left out. */
  public static List<String> statements(String file) throws IOException {
    var code = new StringBuilder();
    for (var line : Files.readAllLines(Path.of(file))) {
      if (!line.trim().startsWith("--")) code.append(line).append('\n');
    }
    return STATEMENT_END.splitAsStream(code).map(String::strip).filter(s -> !s.isEmpty()).toList();
  }

  /** Null if {@code front}, which stands before this parser, gives text and answer on unchanged; else what it does. */
  public String difference(ParserInterface front, String text) {
    texts.clear();
    answers.clear();
    Object answer;
    try {
      answer = front.parsePlan(text);
    } catch (Throwable e) {
      answer = e;
    }
    if (texts.isEmpty()) return "not asked";
    if (!texts.get(0).equals(text)) return "given as: " + texts.get(0);
    if (answer != answers.get(0)) return "answered " + answers.get(0) + "\nbut came back as " + answer;
    return answer instanceof LogicalPlan && texts.size() > 1 ? "asked again for: " + texts.get(1) : null;
  }

  @Override
  public LogicalPlan parsePlan(String sqlText) throws ParseException {
    texts.add(sqlText);
    try {
      var plan = below == null ? new OneRowRelation() : below.parsePlan(sqlText);
      answers.add(plan);
      return plan;
    } catch (Throwable e) {
      answers.add(e);
      throw e;
    }
  }

  @Override
  public Expression parseExpression(String sqlText) throws ParseException {
    return below.parseExpression(sqlText);
  }

  @Override
  public TableIdentifier parseTableIdentifier(String sqlText) throws ParseException {
    return below.parseTableIdentifier(sqlText);
  }

  @Override
  public FunctionIdentifier parseFunctionIdentifier(String sqlText) throws ParseException {
    return below.parseFunctionIdentifier(sqlText);
  }

  @Override
  public scala.collection.immutable.Seq<String> parseMultipartIdentifier(String sqlText) throws ParseException {
    return below.parseMultipartIdentifier(sqlText);
  }

  @Override
  public LogicalPlan parseQuery(String sqlText) throws ParseException {
    return below.parseQuery(sqlText);
  }

  @Override
  public StructType parseRoutineParam(String sqlText) throws ParseException {
    return below.parseRoutineParam(sqlText);
  }

  @Override
  public StructType parseTableSchema(String sqlText) throws ParseException {
    return below.parseTableSchema(sqlText);
  }

  @Override
  public DataType parseDataType(String sqlText) throws ParseException {
    return below.parseDataType(sqlText);
  }
}
