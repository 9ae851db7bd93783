"""The results as a page, and as JSON to compare two versions."""

from __future__ import annotations

import datetime
import os
import platform
from dataclasses import dataclass, field

import pyspark

import kafkalyst
from kafkalyst.resources import jars_for

PEERS = {
    "consumer": "plain consumer",
    "producer": "plain producer",
    "limit": "the plain one with our settings",
    "flink": "Flink SQL",
    "spark": "Spark by hand",
    "tuned": "Spark by hand with our settings",
}
COLUMNS = ("ours", "client", "limit", "Flink", "by hand")


@dataclass(frozen=True)
class Measured:
    """Median seconds of each peer over a number of records, and the goals: the smallest acceptable ratios."""

    name: str
    title: str
    count: int
    seconds: dict[str, float]
    goals: dict[str, float] = field(default_factory=dict)

    def ratio(self, peer: str) -> float | None:
        """How many times as fast as a peer Kafkalyst is."""
        return self.seconds[peer] / self.seconds["ours"] if peer in self.seconds else None

    def rate(self, peer: str) -> float | None:
        """Million records per second."""
        return self.count / self.seconds[peer] / 1e6 if peer in self.seconds else None


def progress(result: Measured) -> str:
    """One line about a result."""
    ratios = [f"{ratio:.2f} × {PEERS[p]}" for p in PEERS if (ratio := result.ratio(p))]
    seconds = ", ".join(f"{peer} {took:.2f} s" for peer, took in result.seconds.items())
    return f"{result.name}: {', '.join(ratios)} ({seconds})"


def as_json(results: list[Measured]) -> dict[str, dict[str, float]]:
    """The ratios by work: `vs_consumer`, `vs_limit`, `vs_producer`, `vs_flink`, `vs_spark`, `vs_tuned`, and `vs_all`.

    `vs_tuned` compares with Spark by hand with Kafkalyst's batches, `vs_all` a range with the whole topic.
    """
    return {
        result.name: {
            f"vs_{peer}": round(ratio, 3)
            for peer in result.seconds
            if peer != "ours" and (ratio := result.ratio(peer)) is not None
        }
        for result in results
    }


def cell(result: Measured, peer: str) -> str:
    """A ratio with its goal."""
    ratio, goal = result.ratio(peer), result.goals.get(peer)
    if ratio is None:
        return "–"
    if goal is None:
        return f"{ratio:.2f}"
    return f"{ratio:.2f} (≥ {goal:g}{'' if ratio >= goal else ': **not met**'})"


def as_page(results: list[Measured], *, runs: int, warmup: int, load: float, versions: str) -> str:
    """RESULTS.md."""
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    clients = ", ".join(j.stem for j in jars_for(pyspark.__version__) if j.stem.startswith("kafka-clients"))
    lines = [
        "# Results",
        "",
        f"{today}; Kafkalyst {kafkalyst.__version__}, Spark {pyspark.__version__}, local[2], {clients}, {versions}.",
        f"Broker and all peers on this machine: {platform.machine()}, {os.cpu_count()} cores, load {load:.1f} before",
        f"the start. Median of {runs} runs after {warmup} discarded, the peers in turns; how it is measured:",
        "[NOTES.md](NOTES.md). Rates are in million records per second. A ratio above 1 means that ours is faster; in",
        "brackets its goal. The client is a plain consumer or producer with Kafka's defaults, the limit one with as",
        "large fetches or batches as ours.",
        "",
        f"| work | | records | {' | '.join(COLUMNS)} | {' | '.join(f'÷ {column}' for column in COLUMNS[1:])} |",
        "|---" * (len(COLUMNS) * 2 + 2) + "|",
    ]
    for result in results:
        peers = ("producer" if "producer" in result.seconds else "consumer", "limit", "flink", "spark")
        rates = [f"{rate:.2f}" if (rate := result.rate(p)) else "–" for p in ("ours", *peers)]
        if "all" in result.seconds:
            rates = ["–"] * len(COLUMNS)
        ratios = [cell(result, p) for p in peers]
        lines.append(f"| `{result.name}` | {result.title} | {result.count:,} | {' | '.join((*rates, *ratios))} |")
    lines.append("")
    for result in results:
        if "all" in result.seconds:
            part = result.seconds["ours"] / result.seconds["all"]
            lines.append(f"- `{result.name}`, {result.title}: {part:.1%} of the full scan's time (≤ 5 %).")
        if tuned := result.ratio("tuned"):
            lines.append(f"- `{result.name}`: {tuned:.2f} × Spark by hand with batches as large as ours.")
    return "\n".join(lines) + "\n"
