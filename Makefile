# demo, test, coverage, bench, fmt, clean. Needs Python >= 3.11, git, make and a package index; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Silent when all is well; prints what the tool said, and stops, when it is not.
quiet = @out=$$($(1) 2>&1) || { printf 'failed: %s\n%s\n' '$(1)' "$$out" >&2; exit 1; }

.PHONY: demo test coverage lint bench fmt clean mutants

demo: $(VENV)/installed
	@$(BIN)/remit decide --policy policies/baseline --hook claude-code --format table policies/demo/claude-code.jsonl

test: lint
	@$(BIN)/pytest -q

coverage: $(VENV)/installed
	@$(BIN)/pytest -q --cov --cov-report=
	@echo "branch coverage $$($(BIN)/coverage report --format=total) % ($(BIN)/coverage report names the lines)"

lint: $(VENV)/installed
	$(call quiet,$(BIN)/ruff format --check .)
	$(call quiet,$(BIN)/ruff check .)
	$(call quiet,$(BIN)/mypy)
	$(call quiet,$(BIN)/lint-imports)

mutants: $(VENV)/installed
	@$(BIN)/python tests/mutants

bench: $(VENV)/bench-installed
	@$(BIN)/python -m bench

fmt: $(VENV)/installed
	@$(BIN)/ruff check --fix-only -q .
	@$(BIN)/ruff format -q .

clean:
	rm -rf $(VENV) build dist .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "remit needs Python 3.11 or newer: make PYTHON=python3.11")'
	@$(PYTHON) -m venv $(VENV)
	@# An environment starts with the pip of its Python, which may be too old for --group.
	@$(BIN)/python -m pip install -qq --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install -qq -e '.[daemon,postgresql,re2,second-opinion]' --group dev
	@touch $@

$(VENV)/bench-installed: $(VENV)/installed
	@$(BIN)/python -m pip install -qq --group bench
	@touch $@
