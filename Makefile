# What a contributor runs. Every target sets up what it needs; a second run does not set it up again.
#   make demo    install, then show what Parlour does
#   make test    install with the test extras; lint, types, layers, all tests
#   make check   lint, types and layers only
#   make soak    kill stores, halls and servers under traffic, thousands of times, and print what came of it (hours)
#   make fuzz    mutated input for every reader, guided by coverage (FUZZ_SECONDS=60)
#   make audit   known weaknesses of the libraries that are installed here
#   make shuffled  the tests three times, each in another order and with another hash seed (SEEDS="1 2 3")
#   make mutants sampled changes of core, referee, net, store, tournament: do the tests notice?
#   make bench   every speed we claim, beside what it is compared with
#   make docs    the documentation as a site, in build/site; links and references are checked
#   make screenshots  pictures of the pages, for the documentation
#   make build   compile the kernels again after changing one
#   make clean   remove what the other targets made

ROOT   := $(dir $(realpath $(firstword $(MAKEFILE_LIST))))
PYTHON ?= python3
VENV   := $(ROOT).venv
BIN    := $(VENV)/bin
SETUP  := $(ROOT)pyproject.toml $(ROOT)setup.py $(shell find $(ROOT)src -path '*/kernel/*' \( -name '*.py' -o -name '*.pxd' \))
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Hundreds of tests start programs: bytecode is kept, so that not each of them compiles the package again.
TESTS  := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest

.PHONY: shuffled demo test check pages soak fuzz audit bench docs screenshots build clean mutants
.DELETE_ON_ERROR:

demo: $(VENV)/installed
	@cd $(ROOT) && $(BIN)/parlour demo

# What does not need each other is set up and checked at once.
test:
	@$(MAKE) -C $(ROOT) --no-print-directory -j 3 check $(VENV)/peers/ready pages
	@cd $(ROOT) && $(TESTS) -q -n 2 --dist loadscope

check: $(VENV)/installed-test
	@cd $(ROOT) && $(BIN)/ruff check . && $(BIN)/ruff format --check .
	@cd $(ROOT) && $(BIN)/mypy
	@cd $(ROOT) && $(BIN)/lint-imports --cache-dir .venv/import-linter

pages:
	@$(ROOT)tools/web/install

soak: $(VENV)/installed-test
	@cd $(ROOT) && $(BIN)/python tools/soak.py

fuzz: $(VENV)/installed-fuzz
	@cd $(ROOT) && $(BIN)/python tools/fuzz.py $(or $(FUZZ_SECONDS),60)

audit: $(VENV)/installed-audit
	@cd $(ROOT) && $(BIN)/pip freeze --exclude-editable > $(VENV)/frozen.txt && $(BIN)/pip-audit --strict --disable-pip --no-deps -r $(VENV)/frozen.txt

SEEDS ?= 1 2 3

shuffled: $(VENV)/installed-test $(VENV)/peers/ready
	@cd $(ROOT) && for seed in $(SEEDS); do \
	  echo "== order and hash seed $$seed"; \
	  PYTHONHASHSEED=$$seed $(TESTS) -q -n 2 --dist loadscope --shuffle $$seed || exit 1; done

mutants: $(VENV)/installed-mutants
	@cd $(ROOT) && $(BIN)/python tools/mutants.py

bench: $(VENV)/installed-bench
	@cd $(ROOT) && for b in bench/*.py; do echo "== $$b"; $(BIN)/python $$b || exit 1; done

docs: $(VENV)/installed-docs
	@cd $(ROOT) && NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet && echo "the site is in build/site: open build/site/index.html"

screenshots: $(VENV)/installed-test pages
	@cd $(ROOT) && $(BIN)/python tools/web/screenshots.py

build: $(VENV)/python-ready
	@cd $(ROOT) && $(PIP) install --no-deps -e .

$(VENV)/python-ready:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Parlour needs Python 3.11 or newer, not " + sys.version.split()[0])'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# The package, with its kernels compiled.
$(VENV)/installed: $(VENV)/python-ready $(SETUP)
	@echo "setting up $(VENV) (this takes a minute the first time)"
	@cd $(ROOT) && $(PIP) install -e .
	@$(BIN)/python -c 'import sys; from parlour.core.kernels import all_compiled; all_compiled() or print("warning: no working C compiler was found: the kernels stay uncompiled; Parlour works, but slowly", file=sys.stderr)'
	@touch $@

# An environment with nothing but the diplomacy package, whose unmodified client the tests run.
$(VENV)/peers/ready: $(VENV)/installed-test $(ROOT)tests/peers/environment.py
	@cd $(ROOT) && $(BIN)/python tests/peers/environment.py > /dev/null
	@touch $@

# What tests and benchmarks need besides; installed without building the package again.
$(VENV)/installed-test: extras := test
$(VENV)/installed-bench: extras := test bench
$(VENV)/installed-docs: extras := docs
$(VENV)/installed-fuzz: extras := test fuzz
$(VENV)/installed-audit: extras := audit
$(VENV)/installed-mutants: extras := test mutants
$(VENV)/installed-test $(VENV)/installed-bench $(VENV)/installed-docs $(VENV)/installed-fuzz $(VENV)/installed-audit $(VENV)/installed-mutants: $(VENV)/installed
	@$(BIN)/python $(ROOT)tools/extras.py $(extras) > $@.txt
	@$(PIP) install -r $@.txt
	@touch $@

clean:
	rm -rf $(VENV) $(ROOT)*.jsonl $(ROOT)*.jsonl~ $(ROOT)build $(ROOT).mypy_cache $(ROOT).ruff_cache $(ROOT).pytest_cache $(ROOT).hypothesis $(ROOT)src/*.egg-info
	find $(ROOT)src \( -name '*.so' -o -name '*.c' -o -name __pycache__ \) -prune -exec rm -rf {} +
