#!/usr/bin/env bash
# What takes too long for every test run, each in a clean environment:
# - first: the installed wheel with the servers that it fetches up to the first row, and offline;
# - beside: packages that are known to clash;
# - manifests: against Kubernetes' schemas, which are 110 MB;
# - antlr, published: the parser with each ANTLR, and the Maven repository;
# - dbt: a project of dbt-spark over a topic;
# - builds: two full builds of the jar, which must be equal.
# tools/adopt.sh PYTHON WHEEL [first|beside|manifests|antlr|published|dbt|builds]
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1 wheel=$(realpath "$2") part=${3:-all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/first.sql" << 'SQL'
CREATE STREAM first_row (k INT KEY, a STRING) WITH (KAFKA_TOPIC = 'adopt-first-row', VALUE_FORMAT = 'AVRO', PARTITIONS = 1);
INSERT INTO first_row VALUES (1, 'the first row');
SELECT a FROM first_row LIMIT 1;
SQL

beside() {
  echo "── kafkalyst$2 beside $1"
  "$python" -m venv "$work/$1"
  local began=$SECONDS
  "$work/$1/bin/pip" install --quiet --disable-pip-version-check "$1" "$wheel$2" "${@:4}"
  "$work/$1/bin/pip" check
  (cd "$work" && "$1/bin/python" -c "import kafkalyst, $3; print(kafkalyst.__version__)")
  echo "   $((SECONDS - began)) s, $("$work/$1/bin/pip" list --format freeze | wc -l) packages," \
    "$(du -sm "$work/$1" | cut -f1) MB"
}

# From nothing to a row: what pip and `local fetch` bring, how long it takes, and how long until a record is a row.
first() {
  echo "── pip install kafkalyst[spark,cli,serdes] and kafkalyst local fetch to the first row"
  echo "   wheel: $(du -m "$wheel" | cut -f1) MB"
  "$python" -m venv "$work/first"
  local before began=$SECONDS installed fetched
  before=$("$work/first/bin/pip" list --format freeze | wc -l)
  "$work/first/bin/pip" install --quiet --disable-pip-version-check "$wheel[spark,cli,serdes]"
  installed=$SECONDS
  export KAFKALYST_SERVERS=$work/servers
  "$work/first/bin/kafkalyst" local fetch 2>&1 | tail -1
  fetched=$SECONDS
  (
    cd "$work"
    trap 'first/bin/kafkalyst local down' EXIT
    eval "$(first/bin/kafkalyst local up --print-env)"
    first/bin/kafkalyst run first.sql | grep -x "the first row"
    offline
  )
  echo "   $((installed - began)) s of pip, $((fetched - installed)) s of fetch," \
    "$(du -sm "$KAFKALYST_SERVERS" | cut -f1) MB of servers," \
    "$(($("$work/first/bin/pip" list --format freeze | wc -l) - before - 1)) packages brought along," \
    "$(du -sm "$work/first" | cut -f1) MB"
}

# Without a network nothing is missing: a session of the installed wheel, where only the loopback device is up.
offline() {
  echo "── offline"
  local began=$SECONDS
  unshare --net --map-root-user sh -c 'ip link set lo up && exec "$@"' offline \
    first/bin/kafkalyst sql --kafka 127.0.0.1:1 --format csv -e "SELECT kafkalyst_version() AS v" |
    grep -F "$(first/bin/kafkalyst --version | cut -d' ' -f2)"
  echo "   $((SECONDS - began)) s"
}

manifests() {
  echo "── conf/deploy/kubernetes.yaml against the schemas"
  "$python" -m venv "$work/manifests"
  "$work/manifests/bin/pip" install --quiet --disable-pip-version-check kubernetes-validate==1.37.0
  "$work/manifests/bin/kubernetes-validate" --strict conf/deploy/kubernetes.yaml
}

# The generated parser with the first and the last runtime of each minor in the range of the extra.
antlr() {
  "$python" -m venv "$work/antlr"
  "$work/antlr/bin/pip" install --quiet --disable-pip-version-check --no-deps "$wheel"
  for release in 4.10 4.11.1 4.12.0 4.13.2; do
    echo "── the parser with ANTLR $release"
    "$work/antlr/bin/pip" install --quiet --disable-pip-version-check "antlr4-python3-runtime==$release"
    (cd "$work" && antlr/bin/python -W error -c "import kafkalyst
assert [s.text for s in kafkalyst.split('SHOW STREAMS; SELECT \';\' AS x;')] == ['SHOW STREAMS', 'SELECT \';\' AS x']")
  done
}

# What a release uploads, the documentation too, which takes minutes.
published() {
  echo "── the Maven repository"
  tools/gradle.sh publishLocal
  local jars=(build/maven/io/kafkalyst/kafkalyst-spark_2.13/*/*-javadoc.jar)
  unzip -l "${jars[0]}" | grep -q "io/kafkalyst/KafkalystExtensions.html"
}

# The project that docs/howto/dbt.md shows.
dbt() {
  echo "── dbt-spark over a topic"
  "$python" -m venv "$work/dbt"
  "$work/dbt/bin/pip" install --quiet --disable-pip-version-check "$wheel[spark]"
  "$work/dbt/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: dbt-core==1.11.16 dbt-spark==1.11.0
  export KAFKALYST_SERVERS=$work/servers
  "$work/dbt/bin/kafkalyst" local fetch 2>&1 | tail -1
  mkdir "$work/shop"
  (project=$PWD/tests/adopt/dbt && cd "$work/shop" && ../dbt/bin/python "$project/run.py" ../dbt/bin/dbt)
}

if [[ $part == first || $part == all ]]; then
  first
fi
if [[ $part == beside || $part == all ]]; then
  beside hydra-core "" hydra
  # It takes any PyArrow and no NumPy 2, which new PyArrow asks for.
  beside databricks-connect "" databricks.connect "pyarrow<21"
  beside pyspark-client "" pyspark.sql
fi
if [[ $part == manifests || $part == all ]]; then
  manifests
fi
if [[ $part == antlr || $part == all ]]; then
  antlr
fi
if [[ $part == published || $part == all ]]; then
  published
fi
if [[ $part == dbt || $part == all ]]; then
  dbt
fi
if [[ $part == builds || $part == all ]]; then
  for build in first second; do
    echo "── $build full build"
    rm -rf build/classes build/generated
    tools/gradle.sh jar
    sha256sum < python/kafkalyst/jars/kafkalyst.jar > "$work/$build"
  done
  cmp "$work/first" "$work/second" && echo "the same bytes"
fi
