# Every target is what a person could type. PYTHON is any Python from 3.11 on; VENV is where everything is installed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OUT ?= out

.PHONY: help demo test test-fast fuzz tools lint cluster bench pango samples pyz clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.12 …") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/pip install --quiet --group test --group lint
	touch $@

demo: $(VENV)/installed pango ## the main job on a sample, from nothing to an HTML and a PDF
	$(BIN)/runai-analyze samples/broken-site.tgz -o $(OUT)/demo --format html,pdf,json --fail-on never || test -s $(OUT)/demo/report.html

test: lint ## all that CI runs
	$(BIN)/pytest

test-fast: $(VENV)/installed-test ## all but the tests that need the test cluster
	$(BIN)/pytest -m "not cluster and not fuzz and not tools"

fuzz: $(VENV)/installed-test ## the long searches, for texts that freeze the redactor
	$(BIN)/pytest -m fuzz

tools: $(VENV)/installed-test ## bundles that other programs make of the test cluster, each built from its Go module
	$(BIN)/pytest -m tools

lint: $(VENV)/installed-test ## ruff, mypy --strict, vermin, and the rules with their examples
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/vermin --quiet --no-tips --target=3.6- --violations collector/runai_collect
	$(BIN)/runai-rules lint
	$(BIN)/runai-rules test
	$(BIN)/runai-rules cover

cluster: $(VENV)/installed-test ## start the test cluster and print its KUBECONFIG; Ctrl-C ends it
	$(BIN)/python -m tests.cluster --scenario healthy

bench: $(VENV)/installed-test ## measure against the floor, as ratios
	$(BIN)/python -m tests.bench

samples: $(VENV)/installed-test ## make the bundles in samples/ anew, with the real collector and the test cluster
	$(BIN)/python -m tests.make_samples

pyz: $(VENV)/installed ## build runai-collect.pyz
	$(BIN)/python collector/build_pyz.py

pango: ## install what the PDF needs, where that is possible without asking
	@sh tests/pango.sh

clean: ## remove what was built
	rm -rf $(VENV) $(OUT) build dist runai-collect.pyz
