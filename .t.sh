cd /work/main
eval $(.venv/bin/python -m kafkalyst local up --print-env 2>/dev/null | tail -1)
GOLDEN=$G .venv/bin/python -m pytest -c python/pyproject.toml --rootdir=. -q "$@" 2>&1 | grep -v '^{"ts' | tail -${N:-30} | cut -c1-600
