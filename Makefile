# What a contributor runs. Every target sets up what it needs; a second run does not set it up again.
#   make demo    install, then show what Parlour does
#   make test    install with the test extras; lint, types, layers, all tests
#   make quick   lint, types and the tests of what changed since main, in a minute
#   make check   lint, types, layers and house rules only
#   make soak    kill stores, halls and servers under traffic, thousands of times, and print what came of it (hours)
#   make hostile every attack that we know of against a real server, beside an honest player: who noticed? (minutes)
#   make fuzz    mutated input for every reader, guided by coverage (FUZZ_SECONDS=60)
#   make sanitize  the kernels under AddressSanitizer and ThreadSanitizer (needs gcc; minutes)
#   make audit   known weaknesses of the libraries that are installed here
#   make harnesses  environments of training and evaluation frameworks, and all tests in them (minutes)
#   make shuffled  the tests three times, each in another order and with another hash seed (SEEDS="1 2 3")
#   make mutants sampled changes of core, referee, net, store, tournament: do the tests notice?
#   make bench   every speed we claim, beside what it is compared with
#   make docs    the documentation as a site, in build/site; links and references are checked
#   make screenshots  pictures of the rules and the pages, for the documentation
#   make lock    write down the versions and hashes of the libraries that the tests use here
#   make build   compile the kernels again after changing one
#   make clean   remove what the other targets made

ROOT   := $(dir $(realpath $(firstword $(MAKEFILE_LIST))))
PYTHON ?= python3
VENV   := $(ROOT).venv
BIN    := $(VENV)/bin
SETUP  := $(ROOT)pyproject.toml $(ROOT)setup.py $(ROOT)tools/declarations.py $(shell find $(ROOT)src -path '*/kernel/*.py')
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Hundreds of tests start programs: bytecode is kept, so that not each of them compiles the package again.
TESTS  := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest
# Two more than two cores have: a third of the time tests wait for sockets, processes and browsers.
WORKERS ?= 4

# Browsers, servers and programs share two cores here, and each may come too late for a test that waits for it.
# A failed test runs again, alone: failing twice fails the run, passing then is printed and is worth an issue.
once_more = { [ $$? = 1 ] || exit 1; echo "== the tests that failed run again, alone"; $(TESTS) -q -n 0 --last-failed; }

# Exact versions with hashes where there is a file for this Python and platform; LOCK=no installs the newest.
locked  = [ "$(LOCK)" = no ] || { lock=$$($(BIN)/python $(ROOT)tools/lock.py --find) || exit 0; \
  $(PIP) install --require-hashes -r "$$lock" || { echo "the libraries are not those of $$lock: make lock, or LOCK=no make test"; exit 1; }; }

.PHONY: quick near all lint types lock harnesses shuffled demo test check pages soak fuzz sanitize audit bench docs screenshots build clean mutants
.DELETE_ON_ERROR:

demo: $(VENV)/installed
	@cd $(ROOT) && $(BIN)/parlour demo

# Independent targets run side by side. Types are checked beside the tests, some of which wait.
test:
	@$(MAKE) -C $(ROOT) --no-print-directory -j 3 lint $(VENV)/peers/ready $(VENV)/tests-compiled pages
	@$(MAKE) -C $(ROOT) --no-print-directory -j 2 types all

all: $(VENV)/installed-test
	@cd $(ROOT) && { $(TESTS) -q -n $(WORKERS) --dist worksteal || $(once_more); }

# Types are checked beside the tests, and the lints, which are quick, before both.
quick: lint
	@$(MAKE) -C $(ROOT) --no-print-directory -j 2 types near

near: $(VENV)/installed-test
	@cd $(ROOT) && $(TESTS) -q -n $(WORKERS) --dist worksteal $$($(BIN)/python tools/changed_tests.py)

check: lint types

lint: $(VENV)/installed-test
	@cd $(ROOT) && $(BIN)/ruff check . && $(BIN)/ruff format --check .
	@cd $(ROOT) && $(BIN)/python tools/house_rules
	@cd $(ROOT) && $(BIN)/python tools/public_api.py
	@cd $(ROOT) && $(BIN)/lint-imports --cache-dir .venv/import-linter

types: $(VENV)/installed-test
	@cd $(ROOT) && $(BIN)/mypy

pages:
	@$(ROOT)tools/web/install

soak: $(VENV)/installed-test
	@cd $(ROOT) && $(BIN)/python tools/soak.py

hostile: $(VENV)/installed-test
	@cd $(ROOT) && $(BIN)/python tools/hostile

fuzz: $(VENV)/installed-fuzz
	@cd $(ROOT) && $(BIN)/python tools/fuzz.py $(or $(FUZZ_SECONDS),60)

sanitize: $(VENV)/installed-test
	@cd $(ROOT) && $(BIN)/python tools/sanitize.py

audit: $(VENV)/installed-audit
	@cd $(ROOT) && $(BIN)/pip freeze --exclude-editable > $(VENV)/frozen.txt && $(BIN)/pip-audit --strict --disable-pip --no-deps -r $(VENV)/frozen.txt

harnesses: $(VENV)/installed-test
	@cd $(ROOT) && $(BIN)/python tests/frameworks/environment.py
	@cd $(ROOT) && $(TESTS) -q -n 0 -m "long or not long" tests/harness tests/packages tests/frameworks tests/testing/test_endpoint.py

SEEDS ?= 1 2 3

shuffled: $(VENV)/installed-test $(VENV)/peers/ready
	@cd $(ROOT) && for seed in $(SEEDS); do \
	  echo "== order and hash seed $$seed"; \
	  PYTHONHASHSEED=$$seed $(TESTS) -q -n $(WORKERS) --dist worksteal --shuffle $$seed || exit 1; done

mutants: $(VENV)/installed-mutants
	@cd $(ROOT) && $(BIN)/python tools/mutants.py

bench: $(VENV)/installed-bench
	@cd $(ROOT) && for b in bench/*.py; do echo "== $$b"; $(BIN)/python $$b || exit 1; done

docs: $(VENV)/installed-docs
	@cd $(ROOT) && $(BIN)/sphinx-build -W --keep-going -q -j 2 -b html docs build/site && echo "the site is in build/site: open build/site/index.html"

screenshots: $(VENV)/installed-pictures pages
	@cd $(ROOT) && $(BIN)/python tools/pictures.py && $(BIN)/python tools/web/screenshots.py

lock: $(VENV)/installed-test
	@cd $(ROOT) && $(BIN)/python tools/lock.py

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

# pytest compiles test modules in its own way. One process does it here, or each worker would do all of it at once.
$(VENV)/tests-compiled: $(VENV)/installed-test
	@cd $(ROOT) && $(TESTS) -q --collect-only > $@.txt || { cat $@.txt; exit 1; }
	@touch $@

# What tests and benchmarks need besides; installed without building the package again.
$(VENV)/installed-test: extras := test
$(VENV)/installed-bench: extras := test bench
$(VENV)/installed-docs: extras := docs
$(VENV)/installed-fuzz: extras := test fuzz
$(VENV)/installed-audit: extras := audit
$(VENV)/installed-pictures: extras := test pictures
$(VENV)/installed-mutants: extras := test mutants
$(VENV)/installed-test $(VENV)/installed-bench $(VENV)/installed-docs $(VENV)/installed-fuzz $(VENV)/installed-audit $(VENV)/installed-mutants $(VENV)/installed-pictures: $(VENV)/installed
	@case " $(extras) " in *" test "*) $(locked) ;; esac
	@$(BIN)/python $(ROOT)tools/extras.py $(extras) > $@.txt
	@$(PIP) install -r $@.txt
	@touch $@

clean:
	rm -rf $(VENV) $(ROOT)*.jsonl $(ROOT)*.jsonl~ $(ROOT)build $(ROOT).mypy_cache $(ROOT).ruff_cache $(ROOT).pytest_cache $(ROOT).hypothesis $(ROOT)src/*.egg-info
	find $(ROOT)src \( -name '*.so' -o -name '*.c' -o -name '*.pxd' -o -name __pycache__ \) -prune -exec rm -rf {} +
