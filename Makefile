# Two commands do everything on a fresh machine: `make app` and `make test`.
# make app:  PORT=8501 (default: the first free one), HEADLESS=1 (open no browser)

PYTHON ?= python3
BIN := .venv/bin
APP := .venv/.app
DEV := .venv/.dev
UV := $(BIN)/uv
# What uv.lock says, each file held to its hash; uv and whatever else somebody installed stays.
SYNC := $(UV) sync --quiet --locked --inexact --no-python-downloads

.PHONY: app test slow pythons check lint style types docs browser demo tour bench fuzz lock lowest interop clean
.DEFAULT_GOAL := app

app: $(APP)  ## The dashboard on the shipped example
	$(BIN)/python -m fairviz app

test: $(DEV) browser style  ## Everything that must hold before a commit
	@$(call with_types,-m "not slow")

slow: $(DEV) browser pythons  ## What takes long and seldom breaks: benchmarks, killed processes, proxies, no network, other Pythons
	$(BIN)/python -m pytest -m slow

OTHER_PYTHONS := 3.12 3.13
pythons: $(OTHER_PYTHONS:%=python-%)  ## The unit tests on the other Pythons that are promised

python-%: $(UV)
	@python=$$(ls -d "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/$*.*/bin/python 2>/dev/null | tail -n 1); \
	  UV_PROJECT_ENVIRONMENT=.venv-$* $(SYNC) --python $${python:-$*}
	.venv-$*/bin/python -m pytest -n $(WORKERS) --dist worksteal -m "unit and not slow"

check: $(DEV) browser style  ## Style, types and unit tests, while one works
	@$(call with_types,-m "unit and not slow")

lint: style types  ## Style and types

style: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(TYPES)

# Tests in one process per core. Plain pytest stays in one, where `--pdb` and `-x` work as ever.
# Types are checked beside them; what pyrefly says comes last, and either can fail the target.
WORKERS ?= logical
TYPES := $(BIN)/pyrefly check
define with_types
said=$$(mktemp); $(TYPES) >$$said 2>&1 & types=$$!; trap 'kill $$types' INT TERM; \
$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(1); tests=$$?; \
wait $$types; typed=$$?; cat $$said; rm -f $$said; exit $$((tests || typed))
endef

docs: $(DEV)  ## The documentation in build/docs; `make test` builds it, too, and every warning is an error
	$(BIN)/python -m sphinx -W --keep-going -q docs build/docs
	@echo build/docs/index.html

browser:  ## A Chromium for figures for papers and the end-to-end tests: the system's, else from apt
	@sh tests/chromium.sh

demo: $(APP)  ## Make the example's generated files again; they come out byte for byte the same
	$(BIN)/python -m data.make_demo

tour: $(DEV) browser  ## Record the animated picture of README again
	$(BIN)/python -m docs.tour

bench: $(DEV) browser  ## Measured speed, as ratios within one run
	$(BIN)/python -m benchmarks

MUTANTS ?= 20000
FROM ?= 0
fuzz: $(DEV)  ## Damaged files of every format to every reader; FROM=20000 goes on where a run ended, SECONDS=600 bounds it
	$(BIN)/python -m tests.fuzz --mutants $(MUTANTS) --from $(FROM) $(if $(SECONDS),--seconds $(SECONDS))

lock: $(UV)  ## Resolve uv.lock again, for every platform and Python from 3.11 on, and with it requirements.txt
	$(UV) lock --quiet --upgrade --default-index https://pypi.org/simple
	$(UV) export --quiet --locked --no-default-groups --no-emit-project \
	  --no-annotate --extra app --extra signin --extra print --output-file requirements.txt

lowest: $(UV)  ## The unit tests with the oldest dependencies that pyproject.toml allows
	$(UV) venv --quiet --clear --no-python-downloads --python $(BIN)/python .venv-lowest
	$(UV) pip compile --quiet --resolution lowest-direct --python .venv-lowest/bin/python \
	  --extra app pyproject.toml --output-file .venv-lowest/lowest.txt
	$(UV) pip install --quiet --python .venv-lowest/bin/python \
	  --constraint .venv-lowest/lowest.txt --group test -e .
	.venv-lowest/bin/python -m pytest -n $(WORKERS) --dist worksteal -m "unit and not slow"

# LensKit brings PyTorch, by default of several gigabytes: INTEROP="python-terrier fairlearn ir-measures ir-datasets" goes without.
INTEROP ?= python-terrier lenskit fairlearn ir-measures ir-datasets
interop: $(UV)  ## The bridges with the newest PyTerrier, LensKit, Fairlearn, ir_measures and ir_datasets
	$(UV) venv --quiet --no-python-downloads --python $(BIN)/python --allow-existing .venv-interop
	$(UV) pip install --quiet --python .venv-interop/bin/python --upgrade $(INTEROP) --group test -e .
	.venv-interop/bin/python -m pytest tests/bridges -rs
	@$(UV) pip list --quiet --python .venv-interop/bin/python | grep -E "^($(subst $() $(),|,$(strip $(INTEROP)))) "

clean:  ## Remove the environment and everything that was made in passing
	rm -rf .venv .venv-* build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'fairviz needs Python 3.11 or later: make PYTHON=/path/to/python3.11' >&2; exit 1; }
	@$(PYTHON) -m venv .venv || \
	  { rm -rf .venv; echo 'No virtual environment: install python3-venv (Debian, Ubuntu)' >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.11'

# What was installed is compiled here, modules and kernels side by side, so that nobody waits for it in the dashboard:
# installers compile on one core, or not at all, and a kernel is compiled where it is first called, which a report of the
# example does. Packages' own tests are left out.
EXAMPLE := report data/demo/bm25.run data/demo/samples.alpha-2.run.gz --qrels data/demo/usefulness.qrels \
  --groups data/demo/providers.tsv -k 5 --output /dev/null
define compile_all
$(BIN)/python -m compileall -q -j 0 -x '/tests?/' .venv/lib >/dev/null 2>&1 & modules=$$!; \
$(BIN)/python -m fairviz $(EXAMPLE) 2>/dev/null; kernels=$$?; wait $$modules; exit $$kernels
endef

$(APP): $(UV) uv.lock pyproject.toml
	$(SYNC) --no-default-groups --extra app
	@$(compile_all)
	@touch $@

$(DEV): $(UV) uv.lock pyproject.toml
	$(SYNC)
	@$(compile_all)
	@touch $(APP) $@
