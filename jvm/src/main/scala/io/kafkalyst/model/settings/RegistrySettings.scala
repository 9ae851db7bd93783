package io.kafkalyst.model.settings

import io.kafkalyst.model.settings.Setting.prefix

/**
 * The settings of the schema registry. After the prefix they have the names of Confluent's clients, for Java and
 * (ssl.ca.location, ssl.certificate.location, ssl.key.location) for Python, so that a working client configuration can
 * be used here.
 */
object RegistrySettings {
  val registryPrefix: String = prefix + "schema.registry."

  val url: Setting = Setting(
    prefix + "schema.registry.url",
    None,
    "Schema registry, with the path of its Confluent API if it has one; several with commas are tried in turn."
  )
  val confFile: Setting = Setting(
    prefix + "schema.registry.conf.file",
    None,
    "A properties file on the driver with these settings, with `schema.registry.` before their names or without; the " +
      "session's settings override it."
  )
  val timeout: Setting = Setting(
    prefix + "schema.registry.timeout.ms",
    Some("10000"),
    "Milliseconds after which a request fails, retries included.",
    trust = Trust.Session
  )
  val connectTimeout: Setting =
    Setting(
      prefix + "schema.registry.http.connect.timeout.ms",
      None,
      "Milliseconds within which a connection must be made.",
      trust = Trust.Session
    )
  val readTimeout: Setting =
    Setting(
      prefix + "schema.registry.http.read.timeout.ms",
      None,
      "Milliseconds within which one answer must be complete.",
      trust = Trust.Session
    )
  val maxRetries: Setting = Setting(
    prefix + "schema.registry.max.retries",
    Some("3"),
    "How often a request is retried after 408, 429, 5xx and broken connections.",
    trust = Trust.Session
  )
  val retryWait: Setting = Setting(
    prefix + "schema.registry.retries.wait.ms",
    Some("200"),
    "Milliseconds before the first retry, doubled for each further one. The registry's `Retry-After` is respected.",
    trust = Trust.Session
  )
  val retryMaxWait: Setting =
    Setting(
      prefix + "schema.registry.retries.max.wait.ms",
      Some("2000"),
      "The longest of these waits.",
      trust = Trust.Session
    )
  val missingTtl: Setting = Setting(
    prefix + "schema.registry.missing.id.cache.ttl.sec",
    Some("5"),
    "Seconds for which a task does not request an unknown schema id again.",
    trust = Trust.Session
  )
  val unknownId: Setting = Setting(
    prefix + "schema.registry.unknown.id.seconds",
    Some("30"),
    "Seconds for which a task retries a record's unknown schema before ON_ERROR applies: longer than any node of " +
      "the registry lags behind.",
    trust = Trust.Session
  )
  val proxyHost: Setting = Setting(prefix + "schema.registry.proxy.host", None, "Host name of an HTTP proxy.")
  val proxyPort: Setting = Setting(prefix + "schema.registry.proxy.port", None, "Port number of that proxy.")
  val keyReadOnly: Setting = Setting(
    prefix + "schema.registry.key.readonly",
    Some("true"),
    "Whether the subject of a key schema that is registered here is set READONLY, so that key bytes stay comparable.",
    Seq("true", "false"),
    trust = Trust.Session
  )

  val basicSource: Setting = Setting(
    prefix + "schema.registry.basic.auth.credentials.source",
    None,
    "Where user and password of a basic login are: in the url, in basic.auth.user.info, or in Kafka's own SASL login.",
    Seq("URL", "USER_INFO", "SASL_INHERIT")
  )
  val basicUser: Setting =
    Setting(prefix + "schema.registry.basic.auth.user.info", None, "`user:password` of a basic login. Secret.")
  val bearerSource: Setting = Setting(
    prefix + "schema.registry.bearer.auth.credentials.source",
    None,
    "Where a bearer token comes from: bearer.auth.token, or an OAuth server by client credentials.",
    Seq("STATIC_TOKEN", "OAUTHBEARER")
  )
  val bearerToken: Setting = Setting(prefix + "schema.registry.bearer.auth.token", None, "A fixed token. Secret.")
  val issuer: Setting = Setting(
    prefix + "schema.registry.bearer.auth.issuer.endpoint.url",
    None,
    "Token endpoint of the OAuth server."
  )
  val clientId: Setting = Setting(prefix + "schema.registry.bearer.auth.client.id", None, "Client id at that server.")
  val clientSecret: Setting =
    Setting(prefix + "schema.registry.bearer.auth.client.secret", None, "The client's secret. Secret.")
  val scope: Setting = Setting(prefix + "schema.registry.bearer.auth.scope", None, "Scope to request, if any.")
  val logicalCluster: Setting = Setting(
    prefix + "schema.registry.bearer.auth.logical.cluster",
    None,
    "Sent as `target-sr-cluster`, which Confluent Cloud asks for."
  )
  val identityPool: Setting = Setting(
    prefix + "schema.registry.bearer.auth.identity.pool.id",
    None,
    "Sent as `Confluent-Identity-Pool-Id`, which Confluent Cloud asks for."
  )
  val expiryBuffer: Setting = Setting(
    prefix + "schema.registry.bearer.auth.cache.expiry.buffer.seconds",
    Some("300"),
    "Seconds before its end at which a token is renewed, at most a fifth of its life.",
    trust = Trust.Session
  )

  val trustStore: Setting = Setting(
    prefix + "schema.registry.ssl.truststore.location",
    None,
    "File of the certificate authorities to trust, on the driver and on every executor; by default the JVM's own."
  )
  val trustStoreType: Setting =
    Setting(prefix + "schema.registry.ssl.truststore.type", Some("JKS"), "Its kind.", Seq("JKS", "PKCS12", "PEM"))
  val trustStorePassword: Setting =
    Setting(prefix + "schema.registry.ssl.truststore.password", None, "Its password. Secret.")
  val trustedCertificates: Setting = Setting(
    prefix + "schema.registry.ssl.truststore.certificates",
    None,
    "The authorities' certificates themselves, as PEM text."
  )
  val keyStore: Setting = Setting(
    prefix + "schema.registry.ssl.keystore.location",
    None,
    "File with the client's own certificate and key (mTLS), on the driver and on every executor."
  )
  val keyStoreType: Setting =
    Setting(prefix + "schema.registry.ssl.keystore.type", Some("JKS"), "Its kind.", Seq("JKS", "PKCS12", "PEM"))
  val keyStorePassword: Setting =
    Setting(prefix + "schema.registry.ssl.keystore.password", None, "Its password. Secret.")
  val keyStoreKey: Setting =
    Setting(prefix + "schema.registry.ssl.keystore.key", None, "The client's key itself, as PEM text. Secret.")
  val keyStoreChain: Setting = Setting(
    prefix + "schema.registry.ssl.keystore.certificate.chain",
    None,
    "The client's certificate itself, as PEM text, with those that signed it."
  )
  val keyPassword: Setting =
    Setting(prefix + "schema.registry.ssl.key.password", None, "Password of the key within its file. Secret.")
  val hostNames: Setting = Setting(
    prefix + "schema.registry.ssl.endpoint.identification.algorithm",
    Some("https"),
    "`https` checks that the certificate belongs to the host; an empty text does not."
  )
  val caFile: Setting =
    Setting(prefix + "schema.registry.ssl.ca.location", None, "PEM file of the authorities to trust, as in Python.")
  val certificateFile: Setting = Setting(
    prefix + "schema.registry.ssl.certificate.location",
    None,
    "PEM file of the client's certificate, as in Python."
  )
  val keyFile: Setting = Setting(
    prefix + "schema.registry.ssl.key.location",
    None,
    "PEM file of the client's key (PKCS#8), as in Python; without it the key is in the certificate's file."
  )

  /** Stores of keys and certificates, as Kafka reads them. */
  val storeSettings: Seq[Setting] = Seq(
    trustStore,
    trustStoreType,
    trustStorePassword,
    trustedCertificates,
    keyStore,
    keyStoreType,
    keyStorePassword,
    keyStoreKey,
    keyStoreChain,
    keyPassword
  )

  val all: Seq[Setting] = Seq(
    url,
    confFile,
    timeout,
    connectTimeout,
    readTimeout,
    maxRetries,
    retryWait,
    retryMaxWait,
    missingTtl,
    unknownId,
    proxyHost,
    proxyPort,
    keyReadOnly,
    basicSource,
    basicUser,
    bearerSource,
    bearerToken,
    issuer,
    clientId,
    clientSecret,
    scope,
    logicalCluster,
    identityPool,
    expiryBuffer
  ) ++ storeSettings ++ Seq(hostNames, caFile, certificateFile, keyFile)
}
