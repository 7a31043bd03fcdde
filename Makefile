# make demo   a throw-away repository, synced and shown: the tour
# make test   every test, with coverage
# The rest is for those who change git-asr; CONTRIBUTING.md says more.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
COMPILED = $(CURDIR)/build/compiled/project
BESIDE = tests fixtures benchmarks docs README.md pyproject.toml
COMPILED_PYTHON = $(abspath $(BIN))/python
PYTEST_ARGS ?=
BENCH_ARGS ?=
FUZZ_ARGS ?=

NPM_CI = npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
  --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=20000

LOCK_TOOLS = uv==0.13.9 cyclonedx-bom==7.5.0
LOCK = build/lock/tools/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --custom-compile-command 'make lock'

.PHONY: demo test torture fuzz lint format docs lock kit bench bench-compiled wheel-check compiled-check clean

demo: $(VENV)/.installed
	@PATH="$(abspath $(BIN)):$$PATH" git asr demo $(DIR)
	@command -v git-asr >/dev/null || printf '\nFor `git asr` in this shell, first:\n\n    export PATH="%s:$$PATH"\n' "$(abspath $(BIN))"

test: $(VENV)/.developing $(VENV)/.managers
	$(BIN)/coverage erase
	$(BIN)/pytest -n auto --cov --cov-report= $(PYTEST_ARGS)
	$(BIN)/coverage report --fail-under=95
	$(BIN)/coverage report --include='git_asr/converters/*,git_asr/validation/checks/*' --fail-under=100

# The tests with all examples, all writes at which a process is killed, and 300 moments: hours.
torture: $(VENV)/.developing $(VENV)/.managers
	GIT_ASR_THOROUGH=1 $(BIN)/pytest -n auto $(PYTEST_ARGS)

# Gives damaged input to every reader, for a minute unless FUZZ_ARGS='--seconds 600' says how long; --list shows them all.
fuzz: $(VENV)/.developing
	$(BIN)/python -m tests.fuzz $(FUZZ_ARGS)

lint: $(VENV)/.developing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/shellcheck $(filter-out %.md,$(wildcard hooks/*)) git_asr/cli/shells/git-asr

format: $(VENV)/.developing
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/.developing
	$(BIN)/python -m tests.support.command_docs
	$(BIN)/python -m tests.support.shell_files
	$(BIN)/python -m tests.support.hook_files
	$(BIN)/python -m tests.support.format_docs
	$(BIN)/python -m tests.support.compatibility
	$(BIN)/python -m tests.support.supply

# Writes anew which versions are installed for development, with their hashes, and what a user gets (docs/dependencies.md).
lock:
	rm -rf build/lock && $(PYTHON) -m venv build/lock/tools
	build/lock/tools/bin/python -m pip --disable-pip-version-check --quiet install $(LOCK_TOOLS)
	$(LOCK) --extra dev --output-file requirements/dev.txt pyproject.toml
	$(LOCK) --output-file requirements/runtime.txt pyproject.toml
	build/lock/tools/bin/uv venv --quiet build/lock/runtime
	build/lock/tools/bin/uv pip install --quiet --python build/lock/runtime --require-hashes -r requirements/runtime.txt
	build/lock/tools/bin/cyclonedx-py environment --output-reproducible --pyproject pyproject.toml \
	  -o requirements/git-asr.cdx.json build/lock/runtime
	@echo "now: make docs"

# Writes the conformance kit anew, from the cases in tests/support/kit.
kit: $(VENV)/.developing
	$(BIN)/python -m tests.support.kit

# Also with compiled converters, which takes minutes to build: COMPILED= leaves that out.
bench: $(VENV)/.developing $(if $(COMPILED),build/compiled/.built)
	GIT_ASR_COMPILED=$(COMPILED) $(BIN)/python -m benchmarks $(BENCH_ARGS)

# Builds the source package, the wheel from it, once more in another place, which must give the same bytes, and runs the
# wheel in an environment of its own.
wheel-check: $(VENV)/.developing
	rm -rf build/wheel-check && mkdir -p build/wheel-check/again
	$(BIN)/python -m build --no-isolation --outdir build/wheel-check/dist . >build/wheel-check/build.log 2>&1 \
	  || { cat build/wheel-check/build.log; exit 1; }
	tar -xzf build/wheel-check/dist/*.tar.gz -C build/wheel-check/again --strip-components=1
	cd build/wheel-check/again && umask 077 && find . -exec touch -d 2001-02-03 {} + \
	  && $(abspath $(BIN))/python -m build --no-isolation --outdir ../twice . >../twice.log 2>&1 || { cat ../twice.log; exit 1; }
	for file in build/wheel-check/dist/*; do cmp "$$file" "build/wheel-check/twice/$${file##*/}" || exit 1; done
	$(BIN)/python -m venv build/wheel-check/venv
	build/wheel-check/venv/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r requirements/runtime.txt
	build/wheel-check/venv/bin/python -m pip --disable-pip-version-check --quiet install --no-deps build/wheel-check/dist/*.whl
	build/wheel-check/venv/bin/python -m pip --disable-pip-version-check check
	cd build/wheel-check && PATH="$(abspath build/wheel-check/venv/bin):$$PATH" \
	  && git asr --version && git asr demo demo >demo.log \
	  && test -f venv/share/man/man1/git-asr.1 && git asr help sync >help.log && grep -q 'git asr sync' help.log \
	  && git asr completion bash >completion.log && bash -n completion.log \
	  && git -C demo asr sessions && git -C demo fsck --strict --no-dangling

# Builds the wheel whose converters are compiled, and runs their tests and the tour with it.
compiled-check: build/compiled/.built
	cd build/compiled/project && rm -rf $(BESIDE) && cp -r $(addprefix $(CURDIR)/,$(BESIDE)) .
	cd build/compiled/project && $(COMPILED_PYTHON) -m pytest -q -n auto -p no:cacheprovider tests/asr tests/converters
	cd build/compiled && rm -rf demo && export PYTHONPATH=$(CURDIR)/build/compiled/project \
	  && $(COMPILED_PYTHON) -m git_asr demo demo >demo.log && $(COMPILED_PYTHON) -m git_asr -C demo sessions

# As bench, with compiled converters.
bench-compiled: build/compiled/.built
	cd build/compiled/project && rm -rf $(BESIDE) && cp -r $(addprefix $(CURDIR)/,$(BESIDE)) .
	cd build/compiled/project && $(COMPILED_PYTHON) -m benchmarks --page $(CURDIR)/docs/performance.md $(BENCH_ARGS)

build/compiled/.built: $(VENV)/.developing pyproject.toml $(shell find git_asr -type f -not -path '*/__pycache__/*')
	rm -rf build/compiled && mkdir -p build/compiled/project
	HATCH_BUILD_HOOKS_ENABLE=1 $(BIN)/python -m build --outdir build/compiled/dist . >build/compiled/build.log 2>&1 \
	  || { cat build/compiled/build.log; exit 1; }
	$(PIP) install --no-deps --target build/compiled/project build/compiled/dist/*.whl
	cd build/compiled/project && $(COMPILED_PYTHON) -c \
	  'from git_asr.converters.claude import converter as c; assert not c.__file__.endswith(".py"), c.__file__'
	@touch $@

clean:
	rm -rf $(VENV) build dist .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "error: git-asr needs Python 3.11 or newer" >&2; \
	       echo "hint: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) \
	  || { echo "error: $(PYTHON) cannot make a virtual environment" >&2; \
	       echo "hint: on Debian and Ubuntu: apt install python3-venv" >&2; rm -rf $(VENV); exit 2; }

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(PIP) install --editable .
	@touch $@

$(VENV)/.developing: pyproject.toml requirements/dev.txt | $(VENV)/bin/python
	$(PIP) install --require-hashes -r requirements/dev.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.installed

# husky and lefthook for tests/hooks. Those tests are skipped where they cannot be had, and another run tries again.
$(VENV)/.managers: tests/hooks/package.json tests/hooks/package-lock.json | $(VENV)/bin/python
	@mkdir -p $(VENV)/managers && cp $^ $(VENV)/managers
	@if command -v npm >/dev/null && (cd $(VENV)/managers && $(NPM_CI)); then touch $@; \
	 else echo "warning: no husky and no lefthook: tests of hooks will be skipped" >&2; fi
