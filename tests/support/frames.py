"""Spark's metrics of a DataFrame."""

from __future__ import annotations

from pyspark.sql import DataFrame


def metric(frame: DataFrame, name: str) -> int:
    """Collects a frame's rows and sums a metric of its scans."""
    frame.collect()
    nodes, total = [frame._jdf.queryExecution().executedPlan()], 0
    while nodes:
        node = nodes.pop()
        kind = node.getClass().getSimpleName()
        if kind == "AdaptiveSparkPlanExec":
            nodes.append(node.executedPlan())
        elif kind.endswith("QueryStageExec"):
            nodes.append(node.plan())
        if node.metrics().contains(name):
            total += node.metrics().apply(name).value()
        children = node.children()
        nodes += [children.apply(i) for i in range(children.size())]
    return total
