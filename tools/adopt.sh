#!/usr/bin/env bash
# What takes too long for every test run: the wheel beside packages that are known to clash, each in a clean environment,
# and two full builds of the jar, which must be equal. tools/adopt.sh PYTHON WHEEL [beside|builds]
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1 wheel=$(realpath "$2") part=${3:-all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

beside() {
  echo "── kafkalyst$2 beside $1"
  "$python" -m venv "$work/$1"
  local began=$SECONDS
  "$work/$1/bin/pip" install --quiet --disable-pip-version-check "$1" "$wheel$2"
  "$work/$1/bin/pip" check
  (cd "$work" && "$1/bin/python" -c "import kafkalyst, $3; print(kafkalyst.__version__)")
  echo "   $((SECONDS - began)) s, $("$work/$1/bin/pip" list --format freeze | wc -l) packages," \
    "$(du -sm "$work/$1" | cut -f1) MB"
}

if [[ $part != builds ]]; then
  beside hydra-core "" hydra
  beside databricks-connect "" databricks.connect
  beside pyspark-client "" pyspark.sql
fi
if [[ $part != beside ]]; then
  for build in first second; do
    echo "── $build full build"
    rm -rf build/classes build/generated
    tools/gradle.sh jar
    sha256sum < python/kafkalyst/jars/kafkalyst.jar > "$work/$build"
  done
  cmp "$work/first" "$work/second" && echo "the same bytes"
fi
