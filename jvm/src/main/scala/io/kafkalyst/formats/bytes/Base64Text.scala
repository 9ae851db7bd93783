package io.kafkalyst.formats
package bytes

import java.util.Base64

/** Bytes in base64. */
private[formats] object Base64Text {

  /** Skips blanks and line ends, which MIME puts after 76 characters. IllegalArgumentException for any other text. */
  def decode(text: String): Array[Byte] =
    Base64.getDecoder.decode(if (text.exists(_ <= ' ')) text.filter(_ > ' ') else text)
}
