"""The demo: starts a broker and a registry, fills two topics, runs all scripts of the demo, and stops everything."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from produce import fill

from kafkalyst import LocalServers

ORDER_COUNT = 100_000
FOLDER = Path(__file__).resolve().parent


def say(line: str) -> None:
    """Prints one step of the demo."""
    print(f"── {line}", flush=True)


def main() -> int:
    """Runs the demo; the exit code is the script's."""
    began = time.monotonic()
    with LocalServers(progress=say) as servers:
        say(fill(servers.kafka, servers.registry, ORDER_COUNT))
        addresses = {"KAFKALYST_KAFKA": servers.kafka, "KAFKALYST_REGISTRY": servers.registry}
        say("kafkalyst run demo/demo.sql")
        started = time.monotonic()
        script = [sys.executable, "-m", "kafkalyst", "run", "demo/demo.sql"]
        settings = ["spark.kafkalyst.query.trigger=available-now", "spark.sql.shuffle.partitions=4"]
        settings.append(f"spark.kafkalyst.query.checkpoint.root={servers.data / 'checkpoints'}")
        settings.append(f"spark.sql.warehouse.dir={servers.data / 'warehouse'}")
        script += [word for setting in settings for word in ("--spark-conf", setting)]
        code = subprocess.run(script, cwd=FOLDER.parent, env=os.environ | addresses, check=False).returncode
        print()
        say(f"demo.sql took {time.monotonic() - started:.1f} s")
        if code == 0:
            say("demo/dashboard.py: orders → enriched → revenue per minute")
            live = [sys.executable, "demo/dashboard.py", str(servers.data)]
            code = subprocess.run(live, cwd=FOLDER.parent, env=os.environ | addresses, check=False).returncode
            print()
        if code == 0:
            say("demo/lake.py: topics → tables of Iceberg, upserted, and read when the topic has forgotten")
            lake = [sys.executable, "demo/lake.py", str(servers.data)]
            code = subprocess.run(lake, cwd=FOLDER.parent, env=os.environ | addresses, check=False).returncode
            print()
    say(f"everything stopped; {time.monotonic() - began:.1f} s in all" if code == 0 else f"failed with code {code}")
    return code


if __name__ == "__main__":
    sys.exit(main())
