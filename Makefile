# Two commands do everything: `make run` and `make test`. Both install what they need themselves.
SHELL := /bin/bash
.DEFAULT_GOAL := help

PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
VENV := .venv
PY := $(VENV)/bin/python
CORES := $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# Tests of real processes wait for most of their time, so a core serves two workers.
WORKERS ?= $(shell echo $$((2 * $(CORES) < 8 ? 2 * $(CORES) : 8)))
ARGS ?=

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

$(PY):
	PYTHON="$(PYTHON)" packaging/linux/install.sh
	$(or $(PYTHON),python3) -m venv $(VENV)

$(VENV)/.installed-run: pyproject.toml | $(PY)
	@PYTHON="$(PY)" packaging/linux/install.sh
	@echo "Installing Python packages into $(VENV)"
	@$(PY) -m pip install -q --disable-pip-version-check -e . 2> >(grep -v '^WARNING: Location' >&2)
	@touch $@

$(VENV)/.installed-test: pyproject.toml | $(PY)
	@PYTHON="$(PY)" packaging/linux/install.sh --test
	@echo "Installing Python packages for development into $(VENV)"
	@$(PY) -m pip install -q --disable-pip-version-check -e '.[dev]' 2> >(grep -v '^WARNING: Location' >&2)
	@touch $@ $(VENV)/.installed-run

$(VENV)/.installed-dist: pyproject.toml | $(PY)
	@PYTHON="$(PY)" packaging/linux/install.sh
	@echo "Installing Python packages for builds into $(VENV)"
	@$(PY) -m pip install -q --disable-pip-version-check -e '.[dist,ssh,gpu,tokenizer]' 2> >(grep -v '^WARNING: Location' >&2)
	@touch $@ $(VENV)/.installed-run

run: $(VENV)/.installed-run  ## open the window; with no screen, run the demo and say where its results are
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" = Darwin ]; then exec $(PY) -m ui; \
	else exec $(PY) packaging/run_without_screen.py; fi

lint: $(VENV)/.installed-test  ## style, types, import direction
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/lint-imports
	$(VENV)/bin/mypy

test: $(VENV)/.installed-test  ## lint and types beside the tests (under five minutes on two cores)
	@$(MAKE) --no-print-directory -j2 lint tests

tests: $(VENV)/.installed-test  ## the tests alone; ARGS="--shuffle random" for another order
	PYTHONDONTWRITEBYTECODE= $(PY) -m pytest -n $(WORKERS) --dist worksteal -rfE --durations 10 \
		tests/unit tests/scenarios -m "not slow" \
		-o faulthandler_timeout=400 -o faulthandler_exit_on_timeout=true $(ARGS)

test-proof: $(VENV)/.installed-test  ## the tests ten times in a fresh clone, shuffled, beside a busy machine
	$(PY) packaging/test_proof.py $(ARGS)

test-versions: $(VENV)/.installed-test  ## versions of vLLM one after the other, into docs/reference/vllm-versions.md
	$(PY) packaging/vllm_versions.py $(ARGS)

test-slow: $(VENV)/.installed-test  ## long matrices, fuzzing, simulations, long walks with real processes
	HYPOTHESIS_PROFILE=search $(PY) -m pytest -rfER --durations 10 -m slow --timeout 1800

test-vllm: $(VENV)/.installed-test  ## a real vLLM on this machine's CPUs (built once into the cache folder)
	$(PY) packaging/vllm_cpu.py
	$(PY) -m pytest tests/vllm -rfER --durations 10 -m vllm --timeout 900

test-vllm-full: $(VENV)/.installed-test  ## the full torture of a real server
	$(PY) packaging/vllm_cpu.py
	$(PY) -m pytest tests/vllm -rfER --durations 10 -m "vllm or vllm_full" --timeout 1800

bench: $(VENV)/.installed-test  ## figures of speed and accuracy, printed
	@for script in tests/performance/bench_*.py; do echo "== $$script"; $(PY) $$script || exit 1; done

bench-peers: $(VENV)/.installed-test  ## vllm bench, GuideLLM and AIPerf beside ours, against a server of known times
	$(PY) packaging/vllm_cpu.py
	$(PY) tests/performance/compare_peers.py

dist: $(VENV)/.installed-dist  ## wheel, sdist, a folder that needs no Python, and a .deb, into dist/
	$(PY) packaging/make_dist.py $(ARGS)

audit: $(VENV)/.installed-dist  ## known vulnerabilities of the locked libraries; says why if they can't be looked up
	@$(PY) -m pip install -q --disable-pip-version-check -e '.[audit]' 2> >(grep -v '^WARNING: Location' >&2) || true
	$(PY) packaging/audit.py

lock: $(VENV)/.installed-dist  ## the libraries with their hashes, into packaging/requirements-py311.lock
	$(PY) packaging/make_lock.py

shots: $(VENV)/.installed-test  ## screenshots of the window into docs/images, contact sheets into out/
	$(PY) packaging/shots.py docs/images --sheet out/shots.png
	$(PY) packaging/shots.py docs/images/zh_CN --sheet out/shots-zh_CN.png --language zh_CN --for docs/reference/window.zh_CN.md

.PHONY: help run lint test tests test-proof test-slow test-vllm test-vllm-full test-versions bench bench-peers dist audit lock shots
