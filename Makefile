# Needs Python 3.11 or newer, make, and the package registry that pip is set up for. PyTorch comes with it, to compare
# numbers with; `make check EXTRAS=` does without, and skips those checks.
#   make check   check every Bend package; sealed evidence lands in evidence/<time>/
#   make test    lint, types and tests

PYTHON ?= python3
VENV ?= .venv
EXTRAS ?= reference
BIN := $(VENV)/bin
STAMP := $(shell date -u +%Y%m%dT%H%M%SZ)

.PHONY: check test lint types pytest clean

check: $(VENV)/.installed
	$(BIN)/bendml check all --output evidence/$(STAMP)

test: lint types pytest

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy --strict

pytest: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n logical --dist loadgroup

# An editable installation: the stamps go stale only when what must be installed changes, not with each edit.
$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.$(EXTRAS:%=[%])'
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev$(EXTRAS:%=,%)]'
	touch $@ $(VENV)/.installed

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
