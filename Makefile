# On a fresh machine two commands do it all: `make site` and `make test`.  `make help` lists the rest.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# The first Python that is new enough; `make PYTHON=... site` names another.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11, 5))' 2>/dev/null && echo "$$p" && break; done)
VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet

# Material prints a notice about the end of MkDocs 1.x at each start; docs/ has a page on how the book would move.
export NO_MKDOCS_2_WARNING := 1

.DEFAULT_GOAL := help

## -- the two commands --

.PHONY: site
site: $(VENV)/.run ## build the book into site/, environment and all
	$(PY) scripts/build.py build
	@echo
	@echo "The book is built.  Open it: file://$(CURDIR)/site/index.html"
	@echo "To write beside it: make serve"

.PHONY: test
test: $(VENV)/.test ## prove everything: format, lint, types, then every test with coverage
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(PY) -m pytest -n 2 --dist worksteal --cov --cov-report term

## -- writing --

.PHONY: serve
serve: $(VENV)/.run ## serve the book; each save shows at once
	$(BIN)/mkdocs serve

.PHONY: check
check: $(VENV)/.run ## check pages and numbers without building
	$(PY) scripts/build.py check

.PHONY: accept
accept: $(VENV)/.run ## write the published numbers anew into docs/numbers.csv
	$(PY) scripts/build.py accept

REV ?= HEAD
.PHONY: diff
diff: $(VENV)/.run ## show which published numbers moved since REV (HEAD unless given), and their sentences
	$(PY) scripts/build.py diff $(if $(FORMAT),--format $(FORMAT)) $(REV)

.PHONY: downloads
downloads: site $(VENV)/.test ## build, then put the files of a release into dist/: PDF, ZIP, program, notebook, data
	$(PY) scripts/pack.py

## -- proving --

.PHONY: lint
lint: $(VENV)/.test ## format and lint; `make format` mends what can be mended
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

.PHONY: format
format: $(VENV)/.test ## format, and mend what the linter can
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

.PHONY: types
types: $(VENV)/.test ## types
	$(BIN)/mypy

.PHONY: soak
soak: site $(VENV)/.test ## what takes minutes: killed builds, other Pythons, long serves, Lighthouse
	$(PY) -m pytest -m soak
	$(PY) scripts/lighthouse.py

.PHONY: bench
bench: $(VENV)/.bench ## time our build against prewritten pages and other generators
	$(PY) scripts/bench.py

.PHONY: lighthouse
lighthouse: $(VENV)/.test ## let Lighthouse judge the built pages; takes minutes, on a quiet machine
	$(PY) scripts/lighthouse.py

.PHONY: policy
policy: $(VENV)/.run ## print the content security policy of the built site, and what in a page it would refuse
	$(PY) scripts/policy.py

.PHONY: digest
digest: $(VENV)/.run ## print one digest of the built site; the same commit gives the same everywhere
	$(PY) scripts/stating.py

.PHONY: publish-check
publish-check: ## all that the publishing workflow does, here
	$(MAKE) --no-print-directory check
	$(MAKE) --no-print-directory downloads
	$(MAKE) --no-print-directory policy
	$(MAKE) --no-print-directory digest
	$(MAKE) --no-print-directory diff FORMAT=md
	$(MAKE) --no-print-directory test

## -- keeping house --

.PHONY: lock
lock: $(VENV)/.tools ## resolve pyproject.toml anew into the hashed requirement files
	$(LOCK) --group build --output-file requirements.txt
	$(LOCK) --group test --constraint requirements.txt --output-file requirements-test.txt
	$(LOCK) --group bench --constraint requirements-test.txt --output-file requirements-bench.txt
	$(LOCK) --group tools --constraint requirements-test.txt --output-file requirements-tools.txt
LOCK = $(BIN)/uv --quiet pip compile pyproject.toml --universal --python-version 3.11.5 --upgrade --generate-hashes \
	--no-annotate --custom-compile-command "make lock"

.PHONY: font
font: $(VENV)/.test ## make the font for formulas anew
	$(PY) scripts/make_font.py

.PHONY: clean
clean: ## remove what builds and tests left; the environment stays (`rm -r .venv` removes it)
	rm -rf site site.* dist plain build .cache htmlcov .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find scripts tests tinyxf -name __pycache__ -type d -prune -exec rm -r {} +

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^## --/ { gsub(/^## -- | --$$/, ""); printf "\n%s\n", $$0 } \
		/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

# The environment.  A stamp for each requirement file: when one changes, what it lists is installed again.

$(PY):
	@test -n "$(PYTHON)" || { echo "tinyxf needs Python 3.11.5 or newer.  Install it, or: make PYTHON=/path/to/python site" >&2; exit 1; }
	"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); \
		echo "Python could not make an environment.  On Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }

$(VENV)/.run: requirements.txt pyproject.toml | $(PY)
	$(PIP) install --require-hashes --requirement requirements.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.test: requirements-test.txt $(VENV)/.run
	$(PIP) install --require-hashes --requirement requirements-test.txt
	@touch $@

$(VENV)/.bench: requirements-bench.txt $(VENV)/.run
	$(PIP) install --require-hashes --requirement requirements-bench.txt
	@touch $@

$(VENV)/.tools: requirements-tools.txt $(VENV)/.run
	$(PIP) install --require-hashes --requirement requirements-tools.txt
	@touch $@
