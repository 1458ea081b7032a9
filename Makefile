# Two commands do everything on a fresh machine: `make app` and `make test`.
# make app:  PORT=8501 (default: the first free one), HEADLESS=1 (open no browser)

PYTHON ?= python3
BIN := .venv/bin
APP := .venv/.app
DEV := .venv/.dev
UV := uv>=0.11

.PHONY: app test slow pythons check lint style types docs browser demo bench fuzz lock lowest clean
.DEFAULT_GOAL := app

app: $(APP)  ## The dashboard on the shipped example
	$(BIN)/python -m fairviz app

test: $(DEV) browser style  ## Everything that must hold before a commit
	@$(call with_types,-m "not slow")

slow: $(DEV) browser pythons  ## What takes long and seldom breaks: benchmarks, killed processes, proxies, no network, other Pythons
	$(BIN)/python -m pytest -m slow

OTHER_PYTHONS := 3.12 3.13
pythons: $(OTHER_PYTHONS:%=python-%)  ## The unit tests on the other Pythons that are promised

python-%: requirements.lock
	@python=$$(ls -d "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/$*.*/bin/python 2>/dev/null | tail -n 1); \
	  $${python:-python$*} -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	.venv-$*/bin/python -m pytest -n $(WORKERS) --dist worksteal -m "unit and not slow"

check: $(DEV) style  ## Style, types and unit tests, while one works
	@$(call with_types,-m "unit and not slow")

lint: style types  ## Style and types

style: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(TYPES)

# Tests in one process per core. Plain pytest stays in one, where `--pdb` and `-x` work as ever.
# Types are checked beside them; what pyright says comes last, and either can fail the target.
# Room for young objects saves pyright a tenth of its time.
WORKERS ?= logical
TYPES := NODE_OPTIONS=--max-semi-space-size=64 $(BIN)/pyright
define with_types
said=$$(mktemp); $(TYPES) >$$said 2>&1 & types=$$!; trap 'kill $$types' INT TERM; \
$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(1); tests=$$?; \
wait $$types; typed=$$?; cat $$said; rm -f $$said; exit $$((tests || typed))
endef

docs: $(DEV)  ## The documentation in build/docs; `make test` builds it, too, and every warning is an error
	$(BIN)/python -m sphinx -W --keep-going -q docs build/docs
	@echo build/docs/index.html

browser:  ## A Chromium for the end-to-end tests: the system's, else from apt
	@sh tests/chromium.sh

demo: $(APP)  ## Make the example's generated files again; they come out byte for byte the same
	$(BIN)/python -m fairviz experiment run data/demo/experiment.toml
	$(BIN)/python -m fairviz experiment run data/demo/bias/experiment.toml
	$(BIN)/python -m fairviz experiment run data/demo/variants/experiment.toml

bench: $(DEV) browser  ## Measured speed, as ratios within one run
	$(BIN)/python -m benchmarks

MUTANTS ?= 20000
FROM ?= 0
fuzz: $(DEV)  ## Damaged files of every format to every reader; FROM=20000 goes on where a run ended, SECONDS=600 bounds it
	$(BIN)/python -m tests.fuzz --mutants $(MUTANTS) --from $(FROM) $(if $(SECONDS),--seconds $(SECONDS))

lock: $(BIN)/python  ## Resolve requirements.lock again, for every platform and Python from 3.11 on
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '$(UV)'
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
	  --custom-compile-command 'make lock' --extra dev pyproject.toml --output-file requirements.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --constraint requirements.lock --custom-compile-command 'make lock' \
	  --extra app --extra signin --extra print pyproject.toml --output-file requirements-app.lock

lowest: $(BIN)/python  ## The unit tests with the oldest dependencies that requirements.txt allows
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '$(UV)'
	$(BIN)/python -m venv --clear .venv-lowest
	$(BIN)/uv pip compile --quiet --resolution lowest-direct --python .venv-lowest/bin/python \
	  requirements.txt --output-file .venv-lowest/lowest.txt
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check \
	  --constraint .venv-lowest/lowest.txt -e '.[test]'
	.venv-lowest/bin/python -m pytest -n $(WORKERS) --dist worksteal -m "unit and not slow"

clean:  ## Remove the environment and everything that was made in passing
	rm -rf .venv .venv-* build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'fairviz needs Python 3.11 or later: make PYTHON=/path/to/python3.11' >&2; exit 1; }
	@$(PYTHON) -m venv .venv || \
	  { rm -rf .venv; echo 'No virtual environment: install python3-venv (Debian, Ubuntu)' >&2; exit 1; }

# What was installed is compiled here, modules and kernels side by side, so that nobody waits for it in the dashboard:
# pip compiles on one core. Packages' own tests are left out.
define compile_all
$(BIN)/python -m compileall -q -j 0 -x '/tests?/' .venv/lib >/dev/null 2>&1 & modules=$$!; \
$(BIN)/python -c 'from fairviz.warm_up import warm_up; warm_up()'; kernels=$$?; wait $$modules; exit $$kernels
endef

$(APP): $(BIN)/python requirements.txt requirements/core.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e '.[app]'
	@$(compile_all)
	@touch $@

# Checks run on the locked versions, each file of them known by its hash.
$(DEV): $(BIN)/python requirements.lock requirements.txt $(wildcard requirements/*.txt) pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(compile_all)
	@touch $(APP) $@
