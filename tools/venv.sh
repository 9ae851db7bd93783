#!/usr/bin/env bash
# Makes or updates a virtual environment with the pinned packages: tools/venv.sh PYTHON FOLDER SPARK_VERSION
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1 folder=$2 spark=$3
mkdir -p build
log="build/pip-$spark.log"

if ! command -v "$python" > /dev/null; then
  echo "Python 3.11 is needed; on Debian: apt-get install python3.11 python3.11-venv, or make PYTHON=<its path>" >&2
  exit 1
fi
if [[ ! -x $folder/bin/pip ]]; then
  rm -rf "$folder"
  if ! "$python" -c 'import ensurepip' 2> /dev/null; then
    if [[ $EUID -ne 0 ]] || ! command -v apt-get > /dev/null; then
      echo "Python's venv module is not complete; on Debian: apt-get install python3.11-venv" >&2
      exit 1
    fi
    echo "   installing python3.11-venv with apt-get …"
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y python3.11-venv; } \
      > build/apt.log 2>&1 || { tail -20 build/apt.log >&2; exit 1; }
  fi
  "$python" -m venv "$folder"
fi

began=$SECONDS
(
  "$folder/bin/python" -m pip install --disable-pip-version-check --no-input -r requirements/dev.txt "pyspark==$spark"
  "$folder/bin/python" -m pip install --disable-pip-version-check --no-input --no-deps --no-build-isolation -e python
) > "$log" 2>&1 &
pid=$!
trap 'kill "$pid" 2> /dev/null || true' INT TERM
while kill -0 "$pid" 2> /dev/null; do
  sleep 0.5
  if (( (SECONDS - began) % 15 == 14 )); then
    echo "   pip: $((SECONDS - began)) s, $(tail -1 "$log" | cut -c1-100)"
    sleep 1
  fi
done
wait "$pid" || { tail -20 "$log" >&2; exit 1; }
