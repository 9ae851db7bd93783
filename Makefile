# Kafkalyst. `make` alone lists the targets; SPARK=4.0.2 picks another Spark version for any of them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VERSIONS := conf/spark-versions.json
DEFAULT_SPARK := $(shell sed -n 's/.*"default": *"\([^"]*\)".*/\1/p' $(VERSIONS))
ALL_SPARKS := $(shell sed -n 's/^ *"\([0-9][0-9.]*\)": *{.*/\1/p' $(VERSIONS))
SPARK ?= $(DEFAULT_SPARK)
OTHER_SPARKS := $(filter-out $(SPARK),$(ALL_SPARKS))
ifeq ($(filter $(SPARK),$(ALL_SPARKS)),)
$(error SPARK=$(SPARK) is not one of $(ALL_SPARKS))
endif

# One virtual environment per Spark version.
venv_of = .venv$(if $(filter $(DEFAULT_SPARK),$(1)),,-$(1))
VENV := $(call venv_of,$(SPARK))
PYTHON ?= python3.11
BIN := $(CURDIR)/$(VENV)/bin
GRADLE := tools/gradle.sh

PYTHON_SOURCES := python/kafkalyst tests demo benchmarks
present = $(wildcard $(1))
JVM_SOURCES := $(shell find jvm grammar -type f 2>/dev/null) build.gradle settings.gradle $(VERSIONS) python/kafkalyst/VERSION
JAR := python/kafkalyst/jars/kafkalyst.jar
PARSER := python/kafkalyst/_grammar/KafkalystParser.py
STAMPS := build/stamps
TEST_SUPPORT := build/classes/support/io/kafkalyst/support/UnforkedFs.class
ARCHIVE := build/archives/spark-$(SPARK).jsa
CORPUS_TEST := tests/compat/test_corpus.py
BUILT := $(JAR) $(PARSER) $(STAMPS)/connectors $(STAMPS)/servers $(STAMPS)/server-classes $(TEST_SUPPORT)
PYTEST := -m pytest -c python/pyproject.toml --rootdir=.
RUFF = $(BIN)/ruff
# One line per step; bold on a terminal only.
say = @[ -t 1 ] && printf '\033[1m── %s\033[0m\n' '$(1)' || echo '── $(1)'
# Prefixes each line with its target, for parallel runs.
NAMED = 2>&1 | sed -u 's/^/$* /'
# Reports the slowest tests.
SLOWEST := --durations=25 --durations-min=10

export PYTHONDONTWRITEBYTECODE := 1
# The times in archives, so that two builds of one commit have the same bytes.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2> /dev/null || echo 1735689600)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "  SPARK=<version>  one of: $(ALL_SPARKS); default $(DEFAULT_SPARK)"

.PHONY: setup
setup: $(VENV)/ready $(BUILT) ## Everything that demo and tests need: Python packages, jar, broker, registry

.PHONY: test-setup
test-setup: setup $(ARCHIVE)

.PHONY: demo
demo: setup $(STAMPS)/neighbours ## The main job on a local broker and registry
	@$(BIN)/python demo/run.py

.PHONY: test
test: test-setup $(STAMPS)/neighbours $(STAMPS)/corpus lint jvm-test ## Every test on the default Spark, a share of the SQL tests on the others
ifeq ($(SPARK),$(DEFAULT_SPARK))
	@$(MAKE) --no-print-directory --jobs $(OTHER_SPARKS:%=test-setup-%)
	@$(MAKE) --no-print-directory --jobs beside-integration-test beside-process-test beside-sql-test \
	  $(OTHER_SPARKS:%=sql-share-%)
else
	@$(MAKE) --no-print-directory sql-test integration-test process-test
endif

.PHONY: test-fast
test-fast: test-setup ## JVM tests, Python unit tests and a share of the SQL tests, on one Spark
	@$(MAKE) --no-print-directory --jobs beside-jvm-test beside-python-test

.PHONY: python-test
python-test: test-setup
	$(call say,Python unit tests and a share of the SQL tests on Spark $(SPARK))
	@KAFKALYST_EACH=8 $(BIN)/python $(PYTEST) $(EACH) tests/python tests/test_sql.py

.PHONY: sql-test
sql-test: test-setup $(STAMPS)/corpus
	$(call say,SQL tests on Spark $(SPARK))
	@$(BIN)/python $(PYTEST) $(EACH) $(CORPUS_TEST) tests/test_sql.py

sql-share-%:
	@KAFKALYST_EACH=4 $(MAKE) --no-print-directory sql-test SPARK=$* EACH='-v $(SLOWEST)' $(NAMED)

.PHONY: sparks-test
sparks-test: ## The SQL tests on every Spark, all of them: before a release
	@for spark in $(ALL_SPARKS); do $(MAKE) --no-print-directory sql-test SPARK=$$spark || exit; done

# Suites run side by side, since half of a suite's time is waiting; so each test has its own line.
beside-%:
	@$(MAKE) --no-print-directory $* EACH='-v $(SLOWEST)' $(NAMED)

.PHONY: integration-test
integration-test: test-setup
	$(call say,Integration tests on Spark $(SPARK))
	@$(BIN)/python $(PYTEST) $(EACH) tests/integration

# All other tests, most of which start their own processes.
.PHONY: process-test
process-test: test-setup
	$(call say,All other tests on Spark $(SPARK))
	@$(BIN)/python $(PYTEST) $(EACH) tests --ignore=tests/integration --ignore=tests/test_sql.py --ignore=$(CORPUS_TEST)

test-setup-%:
	@$(MAKE) --no-print-directory test-setup SPARK=$* $(NAMED)

.PHONY: jvm-test
jvm-test: $(JAR)
	$(call say,JVM tests)
	@$(GRADLE) jvmTest

.PHONY: lint
lint: $(VENV)/ready $(PARSER) ## Style and types, Python and Scala
	$(call say,Style and types)
	@$(RUFF) format --config python/pyproject.toml --check --quiet $(call present,$(PYTHON_SOURCES))
	@$(RUFF) check --config python/pyproject.toml --quiet $(call present,$(PYTHON_SOURCES))
	@$(BIN)/mypy --config-file python/pyproject.toml --no-error-summary python/kafkalyst $(call present,demo)
	@$(GRADLE) scalafmt -Pcheck

.PHONY: fmt
fmt: $(VENV)/ready ## Format Python and Scala
	@$(RUFF) check --config python/pyproject.toml --fix --quiet $(call present,$(PYTHON_SOURCES)) || true
	@$(RUFF) format --config python/pyproject.toml --quiet $(call present,$(PYTHON_SOURCES))
	@$(GRADLE) scalafmt

.PHONY: golden
golden: test-setup ## Rewrite the SQL tests' expected output; read the diff
	@GOLDEN=1 $(BIN)/python $(PYTEST) tests/test_sql.py

.PHONY: reference
reference: $(VENV)/ready ## Rewrite the reference pages of properties, settings, errors and Python
	@$(BIN)/python docs/generate.py

.PHONY: bench-setup
bench-setup: setup
	@$(GRADLE) benchmarks
	@tools/flink.sh $(BIN)/python build/benchmarks/flink

.PHONY: bench
bench: bench-setup ## Speed against plain clients, Flink SQL and Spark by hand; writes benchmarks/RESULTS.md
	@$(BIN)/python benchmarks/run.py
	@$(BIN)/python benchmarks/scale.py planning

.PHONY: bench-parsing
bench-parsing: setup $(STAMPS)/corpus ## What the front door adds to Spark's parsing, in two minutes
	@$(BIN)/python benchmarks/parsing.py

.PHONY: bench-quick
bench-quick: bench-setup ## The same ratios from fewer records and runs, in 15 minutes; writes benchmarks/latest.json
	@BENCH_RECORDS=1000000 BENCH_WARMUP=1 BENCH_RUNS=3 BENCH_QUICK=1 $(BIN)/python benchmarks/run.py

.PHONY: bench-scale
bench-scale: setup ## Time and memory from 200,000 to 20 million records, and planning of 1,000 partitions
	@$(BIN)/python benchmarks/scale.py

.PHONY: bench-latency
bench-latency: setup ## From a record's sending to its copy in the sink, in real time and by micro-batches; 3 minutes
	@$(BIN)/python benchmarks/latency.py

.PHONY: bench-workers
bench-workers: setup ## The same read by one worker of one core and by two; 5 minutes
	@PYTHONPATH=tests $(BIN)/python benchmarks/workers.py

.PHONY: bench-lake
bench-lake: bench-setup $(STAMPS)/neighbours ## From a topic into Iceberg and Delta, appended and merged, against the same by hand and by Flink; 12 minutes
	@$(BIN)/python benchmarks/lake.py

.PHONY: bench-profile
bench-profile: bench-setup ## A flame graph of each query, in build/profiles/
	@BENCH_PROFILE=1 $(BIN)/python benchmarks/run.py

.PHONY: flink-test
flink-test: bench-setup test-setup ## What Flink writes is read here, and what is written here is read by Flink
	@$(BIN)/python $(PYTEST) tests/compat/test_flink_itself.py

.PHONY: kills
kills: test-setup ## Twenty rounds of drivers, executors and brokers killed at random points; `make test` runs a few
	@KAFKALYST_KILL_ROUNDS=20 $(BIN)/python $(PYTEST) -s tests/integration/test_kills.py \
	  tests/integration/test_broker_restarts.py tests/cluster/test_executors.py

.PHONY: soak-kill
soak-kill: test-setup ## Drivers killed, and stopped and let go on, at each named point of each kind of write; `make test` does two rounds
	@KAFKALYST_ROUNDS=58 $(BIN)/python $(PYTEST) -s tests/integration/test_kill_points.py

.PHONY: soak-proxy
soak-proxy: test-setup ## 500 statements through connections that are reset, stall, crawl or are late; `make test` runs three
	@KAFKALYST_ROUNDS=500 $(BIN)/python $(PYTEST) -s tests/integration/test_faulty_network.py

.PHONY: soak-races
soak-races: test-setup ## Sessions that create, replace and drop the same objects at once, for 200 rounds
	@KAFKALYST_ROUNDS=200 $(BIN)/python $(PYTEST) -s tests/integration/test_races.py

.PHONY: soak-registry
soak-registry: test-setup ## A registry that lags up to ten seconds behind its 100,000 records, for 50 rounds
	@KAFKALYST_ROUNDS=50 KAFKALYST_RECORDS=334 KAFKALYST_LAG_SECONDS=10 $(BIN)/python $(PYTEST) -s tests/integration/test_stale_registry.py

.PHONY: soak-pushdown
soak-pushdown: test-setup ## 10,000 random predicates over three topics: the same rows with push-down and without
	@KAFKALYST_ROUNDS=84 $(BIN)/python $(PYTEST) -s tests/integration/test_pushdown.py -k same

.PHONY: soak-catalog
soak-catalog: test-setup ## A cluster with 5,000 topics and subjects, and 1,000 random changes of definitions by four applications at once
	@KAFKALYST_CATALOG_TOPICS=5000 KAFKALYST_ROUNDS=250 $(BIN)/python $(PYTEST) -s tests/integration/test_catalog_cost.py \
	  tests/integration/test_catalog_queries.py -k "requests or lost"

.PHONY: soak-corpus
soak-corpus: test-setup $(STAMPS)/corpus ## All of Spark's own SQL test files analysed with and without the extension; `make test` takes twelve files
	@KAFKALYST_CORPUS_FILES=all $(BIN)/python $(PYTEST) -s $(CORPUS_TEST) -k plans

.PHONY: soak-lake
soak-lake: test-setup $(STAMPS)/neighbours ## Twenty drivers killed while they write into Delta and Iceberg, a minute without broker and registry
	@KAFKALYST_KILL_ROUNDS=20 KAFKALYST_LAKE_ROWS=10000 KAFKALYST_LAKE_KEYS=50000 KAFKALYST_AWAY_SECONDS=60 $(BIN)/python $(PYTEST) -s tests/compat/test_lake.py \
	  -k "killed or faults"

.PHONY: wheel
wheel: $(VENV)/ready $(JAR) $(PARSER) $(STAMPS)/connectors ## The wheel, jars inside, in dist/
	$(call say,Wheel)
	@mkdir -p build dist
	@rm -rf python/kafkalyst/conf python/build && mkdir -p python/kafkalyst/conf
	@cp -r conf/local conf/log4j2.properties conf/properties.json conf/servers.json $(VERSIONS) \
	  jvm/src/main/resources/error/kafkalyst-conditions.json python/kafkalyst/conf/
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist python > build/wheel.log 2>&1 || { tail -30 build/wheel.log; rm -rf python/kafkalyst/conf python/build; exit 1; }
	@rm -rf python/kafkalyst/conf python/build
	@ls -sh dist/*.whl

.PHONY: adopt
adopt: wheel ## From pip install to the first row, beside databricks-connect and hydra-core, dbt, two full builds; 25 minutes
	@tools/adopt.sh $(PYTHON) dist/kafkalyst-$$(cat python/kafkalyst/VERSION)-py3-none-any.whl

.PHONY: clean
clean: ## Remove what was built; virtual environments and fetched servers stay
	@rm -rf build/classes build/generated build/*.log build/stamps dist python/build python/kafkalyst/{jars,_grammar,conf} \
	  spark-warehouse metastore_db derby.log .pytest_cache .ruff_cache .mypy_cache
	@find python tests demo -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/ready: requirements/dev.txt python/pyproject.toml tools/venv.sh | $(PARSER)
	$(call say,Python packages for Spark $(SPARK) into $(VENV) (PySpark alone is 450 MB))
	@tools/venv.sh $(PYTHON) $(VENV) $(SPARK)
	@touch $@

$(JAR): $(JVM_SOURCES)
	$(call say,Jar)
	@$(GRADLE) jar
	@touch $@

$(TEST_SUPPORT): $(wildcard tests/support/*.java)
	$(call say,Test support)
	@$(GRADLE) testSupport
	@touch $@

$(PARSER): $(wildcard grammar/*.g4) build.gradle
	$(call say,Parser for Python)
	@$(GRADLE) pythonGrammar
	@touch $@

$(STAMPS)/connectors: $(VERSIONS) build.gradle
	$(call say,Spark Kafka connectors)
	@$(GRADLE) connectors
	@mkdir -p $(@D) && touch $@

$(STAMPS)/neighbours: build.gradle
	$(call say,Delta and Iceberg (70 MB))
	@$(GRADLE) neighbours
	@mkdir -p $(@D) && touch $@

$(STAMPS)/corpus: build.gradle
	$(call say,SQL test files of Spark (45 MB))
	@$(GRADLE) corpus
	@mkdir -p $(@D) && touch $@

# Tests start many JVMs, which load Spark's classes in half of the time from an archive. If the JDK cannot make one, the
# file is empty, and JVMs ignore it.
$(ARCHIVE): tests/support/archive.py | $(VENV)/ready
	$(call say,Archive of the classes of Spark $(SPARK) for tests)
	@mkdir -p $(@D) build/archives/work-$(SPARK)
	@cd build/archives/work-$(SPARK) && SPARK_LOCAL_IP=127.0.0.1 \
	  SPARK_SUBMIT_OPTS='-XX:TieredStopAtLevel=1 -XX:ArchiveClassesAtExit=$(CURDIR)/$@.part' \
	  $(BIN)/python $(CURDIR)/$< > $(CURDIR)/build/archives/$(SPARK).log 2>&1
	@rm -rf build/archives/work-$(SPARK) && { mv -f $@.part $@ || touch $@; }

$(STAMPS)/servers: build.gradle
	$(call say,Kafka broker and schema registry (130 MB))
	@$(GRADLE) servers
	@mkdir -p $(@D) && touch $@

# With them broker and registry start in half of the time.
$(STAMPS)/server-classes: $(STAMPS)/servers | $(VENV)/ready
	$(call say,Archives of the classes of broker and registry)
	@PYTHONPATH=python $(BIN)/python -c 'from kafkalyst import local; local.archive()'
	@touch $@
