package io.kafkalyst.formats
package bytes

import java.util.Base64

/** Bytes in base64. */
private[formats] object Base64Text {

  /** Skips blanks and line ends, which MIME puts after 76 characters. IllegalArgumentException for any other text. */
  def decode(text: String): Array[Byte] = {
    var i = 0
    while (i < text.length && text.charAt(i) > ' ') i += 1
    Base64.getDecoder.decode(if (i < text.length) text.filter(_ > ' ') else text)
  }
}
