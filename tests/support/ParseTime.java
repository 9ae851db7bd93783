package io.kafkalyst.support;

import java.util.List;
import org.apache.spark.sql.catalyst.parser.ParserInterface;

/** How long a parser takes, without the calls from Python in between. */
public final class ParseTime {
  private ParseTime() {}

  /** The texts that a parser accepts. */
  public static List<String> accepted(ParserInterface parser, List<String> texts) {
    return texts.stream().filter(text -> isAccepted(parser, text)).toList();
  }

  /** Nanoseconds for all the texts, refused ones too. */
  public static long nanos(ParserInterface parser, List<String> texts) {
    var start = System.nanoTime();
    for (var text : texts) {
      isAccepted(parser, text);
    }
    return System.nanoTime() - start;
  }

  private static boolean isAccepted(ParserInterface parser, String text) {
    try {
      parser.parsePlan(text);
      return true;
    } catch (Exception refused) {
      return false;
    }
  }
}
