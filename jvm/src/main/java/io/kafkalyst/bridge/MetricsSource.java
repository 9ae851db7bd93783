package io.kafkalyst.bridge;

import com.codahale.metrics.MetricRegistry;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.source.Source;

/**
 * Adds Kafkalyst's metrics to Spark's metrics system, so that its sinks (JMX, the Prometheus servlet, …) report them.
 * In Java, because in Scala the interface is private to Spark's packages.
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

  /** Call once per application; metrics that are added to the registry later are reported too. */
  public void register(SparkEnv application) {
    application.metricsSystem().registerSource(this);
  }
}
