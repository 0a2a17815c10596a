# Two commands do everything on a fresh machine: `make demo` and `make test`. Both set up .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PLAYOUT_CACHE ?= $(CURDIR)/.playout-cache
# Where an environment forbids byte code, each of the many processes that tests start would make that of Numba and torch anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-gpu browser quick fuzz style lint bench docs dist try-wheel setup clean

setup: $(VENV)/.ready

# Most of what is installed is never imported, so its byte code is left to be made when it is.
define install
	$(PYTHON) -c 'import sys; sys.exit("playout needs Python 3.11 or newer; run make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e '.[$(1)]'
	touch $(VENV)/.ready $@
endef

DEMO := plot,arena
TEST := $(DEMO),analysis,tune,ray,neural,studio,cuda,bridges,test

$(VENV)/.ready: pyproject.toml constraints.txt
	$(call install,$(DEMO))

# In one go, and not on top of the other: whoever tests need not set up twice.
$(VENV)/.ready-test: pyproject.toml constraints.txt
	$(call install,$(TEST))

$(VENV)/.ready-bench: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	touch $@

$(VENV)/.ready-docs: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	touch $@

$(VENV)/.ready-dist: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dist]'
	touch $@

demo: setup
	$(BIN)/playout demo --out demo

# A browser for the tests of the studio, where the system has none and lets one in.
browser:
	@command -v chromium chromium-browser google-chrome > /dev/null || { command -v apt-get > /dev/null && \
	apt-get install --yes --no-install-recommends chromium > /dev/null; } || echo 'no chromium, and none could be installed: the browser tests are skipped'

# Pip takes one core, and kernels need little of what tests need: they compile while the rest is installed. Those of networks need
# torch, whole, so they wait; the types are checked beside them.
test: $(VENV)/.ready
	$(MAKE) --no-print-directory $(VENV)/.ready-test style browser > $(VENV)/installed.txt 2>&1 & installed=$$!; \
	$(BIN)/python -m tests.warm not network; warm=$$?; \
	wait $$installed; installed=$$?; cat $(VENV)/installed.txt; test $$warm$$installed = 00
	$(BIN)/mypy > $(VENV)/types.txt 2>&1 & types=$$!; \
	$(BIN)/python -m tests.warm network; warm=$$?; \
	wait $$types; types=$$?; cat $(VENV)/types.txt; test $$warm$$types = 00
	$(BIN)/python -m pytest -n 2 --dist worksteal

# On a machine with a GPU: the trees of the device against those of the cores, game by game. Most of it is compiling: WORKERS=12 where there are cores.
# Without one, ON=processor: the code that a GPU would get, run by this machine's processor.
test-gpu: $(VENV)/.ready-test
	PLAYOUT_TEST_GPU=$(ON) $(BIN)/python -m pytest -n $(or $(WORKERS),4) --dist worksteal -v -m gpu tests/gpu

# What compiles nothing and waits for nobody: for the work between two commits.
quick: $(VENV)/.ready-test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not slow and not compiles'

# Damaged files and odd words without end, until Ctrl-C; what fails is kept in fuzz-failures/ with the words that replay it.
fuzz: $(VENV)/.ready-test
	$(BIN)/python -m tests.fuzz $(FUZZ)

style: $(VENV)/.ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

lint: style
	$(BIN)/mypy

bench: $(VENV)/.ready-bench
	$(BIN)/playout bench --out docs/performance.json --table docs/performance.md

# The site, into site/: a warning, a dead link or anchor, a request to another host, or a tutorial that is not true is an error.
docs: $(VENV)/.ready-docs
	$(BIN)/python -m tools.site
	$(BIN)/python -m tools.shown docs/tutorial.md

# Wheel and sdist, built twice and compared; `try-wheel` goes on to install the wheel where nothing is, and runs the demo there.
dist: $(VENV)/.ready-dist
	$(BIN)/python tools/dist.py dist

try-wheel: $(VENV)/.ready-dist
	$(BIN)/python tools/dist.py dist --try

clean:
	rm -rf $(VENV) .playout-cache demo dist site .pages
