package io.kafkalyst.bridge;

import com.codahale.metrics.MetricRegistry;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.source.Source;

/**
 * Metrics of ours in Spark's metrics system, so that its sinks (JMX, the Prometheus servlet, …) show them. Java, as
 * Spark keeps the interface for its own packages in Scala.
 */
public final class MetricsSource implements Source {
  private final String name;
  private final MetricRegistry registry = new MetricRegistry();

  public MetricsSource(String name) {
    this.name = name;
  }

  @Override
  public String sourceName() {
    return name;
  }

  @Override
  public MetricRegistry metricRegistry() {
    return registry;
  }

  /** To be called once for each application; what is put into the registry later is shown too. */
  public void register(SparkEnv application) {
    application.metricsSystem().registerSource(this);
  }
}
