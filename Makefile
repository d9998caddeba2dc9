# Two commands set everything up on a machine with Python >= 3.11, git and make: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
TACIT_DATA ?= $(abspath ../shared/data)
export TACIT_DATA
# Two worker processes with one BLAS thread each: more threads than cores only wait for one another.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: demo test lint check format bench bench-full postgres clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# One stamp file per set of extras, renewed when pyproject.toml changes.
$(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	@touch $@

demo: $(VENV)/.installed-demo
	$(BIN)/tacit demo

# The ledger's tests start a private PostgreSQL server where one is installed; without it they skip with a reason.
postgres:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1 || \
	  { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq postgresql; } >/dev/null 2>&1 || \
	  echo "PostgreSQL is not installed and cannot be: its tests will be skipped"

test: $(VENV)/.installed-test postgres
	$(PYTEST)

# Style, types and the floor plan: who may import whom.
lint: $(VENV)/.installed-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint
	$(PYTEST) -q -m "not slow and not statistical"

format: $(VENV)/.installed-check
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks

bench-full: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks --full

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
