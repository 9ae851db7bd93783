#!/usr/bin/env bash
# Fetches Flink's own jars, which PyPI has and Maven Central has not in one piece: tools/flink.sh PYTHON FOLDER
set -euo pipefail
python=$1 folder=$2 version=2.2.1
[[ -f $folder/flink-dist-$version.jar ]] && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "   fetching Flink $version from PyPI (300 MB) …"
"$python" -m pip download --disable-pip-version-check --no-deps --no-binary :all: --dest "$work" \
  "apache-flink-libraries==$version" > build/pip-flink.log 2>&1 || { tail -20 build/pip-flink.log >&2; exit 1; }
mkdir -p "$folder"
tar --extract --gzip --file "$work"/*.tar.gz --directory "$folder" --strip-components 3 --wildcards '*/deps/lib/*.jar'
