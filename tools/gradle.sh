#!/usr/bin/env bash
# Runs Gradle quietly: its talk goes to build/gradle-<task>.log and is shown when it fails.
# Without Gradle on the PATH, Debian's is installed when root may.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build

if ! command -v java > /dev/null || [[ "$(java -version 2>&1)" != *'version "17'* && "$(java -version 2>&1)" != *'version "21'* ]]; then
  echo "JDK 17 is needed; on Debian: apt-get install openjdk-17-jdk-headless" >&2
  exit 1
fi
if ! command -v gradle > /dev/null; then
  if [[ $EUID -ne 0 ]] || ! command -v apt-get > /dev/null; then
    echo "Gradle is needed; install it from your system (Debian: apt-get install gradle) or https://gradle.org" >&2
    exit 1
  fi
  echo "   installing Gradle with apt-get (a few minutes) …"
  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends gradle; } \
    > build/apt.log 2>&1 || { tail -20 build/apt.log >&2; exit 1; }
fi

log="build/gradle-$1.log"
began=$SECONDS
gradle --console=plain "$@" > "$log" 2>&1 &
pid=$!
trap 'kill "$pid" 2> /dev/null || true' INT TERM
while kill -0 "$pid" 2> /dev/null; do
  sleep 0.5
  if (( (SECONDS - began) % 15 == 14 )); then
    echo "   gradle $1: $((SECONDS - began)) s, $(grep -a '^:\|^> Task\|^Download' "$log" | tail -1 || true)"
    sleep 1
  fi
done
wait "$pid" || { grep -av '^openjdk\|^OpenJDK' "$log" >&2; exit 1; }
# A test run's closing lines are its result.
if [[ $1 == jvmTest ]]; then grep -a '^Tests:\|^\*\*\*\|^All tests passed' "$log" || true; fi
