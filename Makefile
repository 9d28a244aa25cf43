# Every target sets up what it needs by itself; nothing is done twice.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
STAGES ?=

.DEFAULT_GOAL := help
.PHONY: help setup demo up console test test-quick test-long test-ranges check docs format mutants drill fuzz measures bench clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## build the environment in .venv (quick when nothing changed)
	@PYTHON=$(PYTHON) scripts/setup

demo: setup ## play a day of a marketplace and a fleet in the console; Ctrl-C ends it
	@$(BIN)/tocsin demo

up: setup ## start the service on port 8080 with keys, data in tocsin-data; Ctrl-C stops it
	@$(BIN)/tocsin up

console: ## build the web console into the package; needs Node 20.19 or newer
	@cd console && npm ci --silent && npm run --silent build

test: setup ## run the tests that CI runs, by STAGES (core spark service browser): 40 minutes on two cores, JOBS side by side
	@scripts/setup-services
	@echo "make test: about 40 minutes on two cores; make test-quick takes under two minutes"
	@$(BIN)/python -m tests.stages $(STAGES) -- -n $(JOBS) --dist loadfile --durations 10

test-quick: setup ## the cheap tests with few random cases, one scenario on Spark and one of the service: under two minutes
	@TOCSIN_EXAMPLES=few $(BIN)/pytest -q -m quick -n $(JOBS) --dist worksteal

test-ranges: setup ## the cheap tests at both ends of the ranges of dependencies, with Python 3.11 to 3.13, and every version of Spark
	@scripts/test-ranges

test-long: setup ## property tests with thousands of cases
	@scripts/setup-services
	@TOCSIN_EXAMPLES=long $(BIN)/pytest -m "not postgres" tests

mutants: setup ## small wrong changes, each of which a comparison of engine and reference must notice
	@$(BIN)/python -m tests.mutants.run

drill: setup ## faults against a real service under load: what was lost, what was doubled; ten minutes
	@scripts/setup-services
	@$(BIN)/python -m tests.drill.run $(if $(ONLY),--only $(ONLY))

fuzz: setup ## broken events and subscriptions for SECONDS (120), while a canary must ring
	@$(BIN)/python -m tests.fuzz.run --seconds $(or $(SECONDS),120)

measures: setup ## how easy the package is to read and to change, in figures; LIST=1 shows the places
	@$(BIN)/python -m scripts.measures $(if $(LIST),--list)

check: setup ## format, lint, words, types, layers
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/python -m scripts.words
	@$(BIN)/mypy
	@$(BIN)/lint-imports

docs: setup ## build the documentation into site, strictly, without any network
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

format: setup ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: setup ## measure boolean selectors beside their baselines
	@$(BIN)/tocsin bench selectors

clean: ## remove what set-up and tests left behind
	@rm -rf $(VENV) .hypothesis .mypy_cache .pytest_cache .ruff_cache .ranges artifacts site spark-warehouse
