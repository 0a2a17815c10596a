# Two commands do everything on a fresh machine: `make demo` and `make test`. Both set up .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PLAYOUT_CACHE ?= $(CURDIR)/.playout-cache

.PHONY: demo test quick lint bench setup clean

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("playout needs Python 3.11 or newer; run make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[plot,arena]'
	touch $@

$(VENV)/.ready-test: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[plot,arena,analysis,tune,ray,test]'
	touch $@

$(VENV)/.ready-bench: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	touch $@

demo: setup
	$(BIN)/playout demo --out demo

test: $(VENV)/.ready-test lint
	$(BIN)/python -m tests.warm
	$(BIN)/python -m pytest -n 2 --dist worksteal

# What compiles nothing and waits for nobody: for the work between two commits.
quick: $(VENV)/.ready-test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not slow and not compiles'

lint: $(VENV)/.ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.ready-bench
	$(BIN)/playout bench --out docs/performance.json --table docs/performance.md

clean:
	rm -rf $(VENV) .playout-cache demo
