package io.kafkalyst.registry

import java.io.FileInputStream
import java.nio.file.{Files, Path}
import java.security.KeyStore
import java.util.Base64
import javax.net.ssl.{KeyManagerFactory, SSLContext, TrustManagerFactory}

/** Certificates made on the fly by the JDK's keytool: one authority, and what it signed for a server and a client. */
final class Certificates {
  val password = "store-password-of-tests"
  val folder: Path = Files.createTempDirectory("kafkalyst-certificates")

  /** The authority alone, to be trusted, as PKCS12. */
  val trustStore: Path = folder.resolve("trust.p12")

  /** The authority's certificate as PEM. */
  val ca: Path = folder.resolve("ca.pem")

  pair("ca", "CN=Authority of tests", "-ext", "bc:c")
  keytool("-exportcert", "-rfc", "-alias", "ca", "-keystore", store("ca").toString, "-file", ca.toString)
  keytool("-importcert", "-noprompt", "-alias", "ca", "-keystore", trustStore.toString, "-file", ca.toString)
  signed("server", "CN=server", "-ext", "san=dns:localhost,ip:127.0.0.1")
  signed("elsewhere", "CN=elsewhere", "-ext", "san=dns:elsewhere.example")
  signed("client", "CN=client")

  /** The PKCS12 store of one of them. */
  def store(name: String): Path = folder.resolve(s"$name.p12")

  /** Certificate chain and PKCS#8 key of one of them as PEM files. */
  def pem(name: String): (Path, Path) = {
    val keys = loaded(store(name))
    def text(kind: String, bytes: Array[Byte]) =
      s"-----BEGIN $kind-----\n${Base64.getMimeEncoder.encodeToString(bytes)}\n-----END $kind-----\n"
    val chain = keys.getCertificateChain(name).map(c => text("CERTIFICATE", c.getEncoded)).mkString
    val key = text("PRIVATE KEY", keys.getKey(name, password.toCharArray).getEncoded)
    (
      Files.writeString(folder.resolve(s"$name.crt"), chain),
      Files.writeString(folder.resolve(s"$name.key"), key)
    )
  }

  /** A server's own side of TLS; it trusts what the authority signed. */
  def context(name: String): SSLContext = {
    val keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    keys.init(loaded(store(name)), password.toCharArray)
    val trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    trust.init(loaded(trustStore))
    val context = SSLContext.getInstance("TLS")
    context.init(keys.getKeyManagers, trust.getTrustManagers, null)
    context
  }

  private def loaded(path: Path): KeyStore = {
    val in = new FileInputStream(path.toFile)
    try {
      val keys = KeyStore.getInstance("PKCS12")
      keys.load(in, password.toCharArray)
      keys
    } finally in.close()
  }

  private def pair(name: String, dname: String, more: String*): Unit = keytool(
    Seq("-genkeypair", "-alias", name, "-keystore", store(name).toString, "-dname", dname, "-validity", "30") ++
      Seq("-keyalg", "EC", "-groupname", "secp256r1") ++ more: _*
  )

  private def signed(name: String, dname: String, more: String*): Unit = {
    val (request, certificate) = (folder.resolve(s"$name.csr").toString, folder.resolve(s"$name.signed").toString)
    pair(name, dname)
    keytool("-certreq", "-alias", name, "-keystore", store(name).toString, "-file", request)
    keytool(
      Seq("-gencert", "-rfc", "-alias", "ca", "-keystore", store("ca").toString, "-infile", request) ++
        Seq("-outfile", certificate, "-validity", "30") ++ more: _*
    )
    keytool("-importcert", "-noprompt", "-alias", "ca", "-keystore", store(name).toString, "-file", ca.toString)
    keytool("-importcert", "-noprompt", "-alias", name, "-keystore", store(name).toString, "-file", certificate)
  }

  private def keytool(arguments: String*): Unit = {
    val tool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString
    val all = tool +: (arguments ++ Seq("-storepass", password, "-storetype", "PKCS12"))
    val process = new ProcessBuilder(all: _*).redirectErrorStream(true).start()
    val said = new String(process.getInputStream.readAllBytes())
    assert(process.waitFor() == 0, said)
  }
}
