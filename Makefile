# Four commands: `make demo`, `make test`, `make test-postgres` and `make test-spark`. They make their own virtual environment in
# .venv, the last one in .venv-spark, because Spark needs older versions of some packages.

PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
SPARK := .venv-spark

.PHONY: demo test test-postgres test-spark lint types imports front unit fuzz docs reference clean

demo: $(VENV)/.study
	@exec $(BIN)/steelyard demo --port $(PORT)

test: $(VENV)/.test browser
	@$(MAKE) --no-print-directory lint imports front
	@$(MAKE) --no-print-directory types >$(VENV)/types.log 2>&1 & types=$$!; \
	$(MAKE) --no-print-directory unit; unit=$$?; \
	wait $$types; types=$$?; cat $(VENV)/types.log; exit $$((unit || types))

test-postgres: $(VENV)/.test
	STEELYARD_TEST_STORE=postgres $(BIN)/python -m pytest -n 2 --dist worksteal tests/web tests/cli tests/study tests/storage

test-spark: $(SPARK)/.ready
	@sh tests/ensure_java.sh
	$(SPARK)/bin/python -m pytest tests/engines/test_spark.py

lint:
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/ruff format --check src tests benchmarks docs

types:
	$(BIN)/mypy

imports:
	$(BIN)/lint-imports

front:
	@sh tests/check_front.sh

fuzz: $(VENV)/.test
	STEELYARD_FUZZ_EXAMPLES=200 $(BIN)/python -m pytest tests/web/api/test_schemathesis.py

unit:
	$(BIN)/python -m pytest -n 3 --dist worksteal

.PHONY: browser
browser:
	@sh tests/ensure_chromium.sh

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

reference: $(VENV)/.docs
	PYTHONPATH=docs $(BIN)/python -m sitebuild

clean:
	rm -rf $(VENV) $(SPARK) docs/_build demo-study .pytest_cache .mypy_cache .ruff_cache .hypothesis node_modules

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Steelyard needs Python 3.11 or newer; say which with: make PYTHON=python3.12 ..." >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Python's venv module is missing. On Debian: apt-get install python3-venv" >&2; exit 2; }

$(VENV)/.study: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[study,plots,fast]'
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[study,test]'
	@touch $@ $(VENV)/.study

$(VENV)/.docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[study,plots,docs]'
	@touch $@

$(SPARK)/.ready: pyproject.toml
	@test -x $(SPARK)/bin/python || $(PYTHON) -m venv $(SPARK)
	$(SPARK)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[spark]' pytest hypothesis || { echo "The Spark tests were not run: pip could not install the extra 'spark' (pyspark<4.1 with Ibis 12)." >&2; exit 2; }
	@touch $@
