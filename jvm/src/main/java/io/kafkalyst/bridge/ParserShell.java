package io.kafkalyst.bridge;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.parser.HybridParameterContext;
import org.apache.spark.sql.catalyst.parser.NamedParameterContext;
import org.apache.spark.sql.catalyst.parser.ParameterContext;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.parser.PositionalParameterContext;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Wraps the underlying parser and passes every statement to a {@link FrontDoor} first.
 *
 * <p>In Java, and compiled against the newest Spark, because ParserInterface grows between minor versions: a class
 * compiled against an older one would not forward the new methods. Other extensions traverse a chain of parsers by
 * their fields, so the underlying parser is a plain field.
 */
public final class ParserShell implements ParserInterface {

  /** Access to the underlying parser, with the arguments of the statement. */
  public interface Below {
    LogicalPlan parse(String sqlText) throws ParseException;

    /** Arguments by name (`:name`) or by position from 0 (`?`); empty without arguments. */
    default Map<String, Expression> arguments() {
      return Map.of();
    }

    /**
     * Whether the text is the query of a view or function, whose names are resolved in its own catalog and database.
     */
    default boolean isStored() {
      return false;
    }
  }

  /** Parses a statement from its text, with access to the underlying parser; returns its plan. */
  public interface FrontDoor {
    LogicalPlan parse(String sqlText, Below below) throws ParseException;
  }

  private final ParserInterface delegate;
  private final FrontDoor frontDoor;

  public ParserShell(ParserInterface delegate, FrontDoor frontDoor) {
    this.delegate = delegate;
    this.frontDoor = frontDoor;
  }

  @Override
  public LogicalPlan parsePlan(String sqlText) throws ParseException {
    return frontDoor.parse(sqlText, delegate::parsePlan);
  }

  @Override
  public LogicalPlan parsePlanWithParameters(String sqlText, ParameterContext parameters) throws ParseException {
    return frontDoor.parse(
        sqlText,
        new Below() {
          @Override
          public LogicalPlan parse(String text) throws ParseException {
            return delegate.parsePlanWithParameters(text, parameters);
          }

          @Override
          public Map<String, Expression> arguments() {
            return values(parameters);
          }
        });
  }

  private static Map<String, Expression> values(ParameterContext parameters) {
    var values = new HashMap<String, Expression>();
    if (parameters instanceof NamedParameterContext named) {
      named.params().foreach(argument -> values.put(argument._1(), argument._2()));
    } else if (parameters instanceof PositionalParameterContext positional) {
      positional.params().foreach(value -> values.put(String.valueOf(values.size()), value));
    } else if (parameters instanceof HybridParameterContext either) {
      // EXECUTE IMMEDIATE does not know which of the two its text has; an argument without a name has an empty one.
      for (int i = 0; i < either.args().size(); i++) {
        var value = either.args().apply(i);
        values.put(String.valueOf(i), value);
        values.put(either.paramNames().apply(i), value);
      }
    }
    return values;
  }

  @Override
  public Expression parseExpression(String sqlText) throws ParseException {
    return delegate.parseExpression(sqlText);
  }

  @Override
  public TableIdentifier parseTableIdentifier(String sqlText) throws ParseException {
    return delegate.parseTableIdentifier(sqlText);
  }

  @Override
  public FunctionIdentifier parseFunctionIdentifier(String sqlText) throws ParseException {
    return delegate.parseFunctionIdentifier(sqlText);
  }

  /**
   * The underlying parser rejects an empty text. Here it is one empty part, a catalog's root, because Spark's
   * Catalog.listTables parses the namespace of each table that it found.
   */
  @Override
  public scala.collection.immutable.Seq<String> parseMultipartIdentifier(String sqlText) throws ParseException {
    if (sqlText.isEmpty()) return CollectionConverters.asScala(List.of("")).toSeq();
    return delegate.parseMultipartIdentifier(sqlText);
  }

  @Override
  public LogicalPlan parseQuery(String sqlText) throws ParseException {
    return frontDoor.parse(
        sqlText,
        new Below() {
          @Override
          public LogicalPlan parse(String text) throws ParseException {
            return delegate.parseQuery(text);
          }

          @Override
          public boolean isStored() {
            return true;
          }
        });
  }

  @Override
  public StructType parseRoutineParam(String sqlText) throws ParseException {
    return delegate.parseRoutineParam(sqlText);
  }

  @Override
  public StructType parseTableSchema(String sqlText) throws ParseException {
    return delegate.parseTableSchema(sqlText);
  }

  @Override
  public DataType parseDataType(String sqlText) throws ParseException {
    return delegate.parseDataType(sqlText);
  }
}
