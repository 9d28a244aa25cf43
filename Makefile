# Every target sets up what it needs by itself; nothing is done twice.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format test-long mutants fuzz bench clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## build the environment in .venv (quick when nothing changed)
	@PYTHON=$(PYTHON) scripts/setup

demo: setup ## run the main job: subscriptions ring on a live Spark stream, under two minutes
	@$(BIN)/tocsin demo

test: setup ## run the tests that CI runs
	@scripts/setup-services
	@$(BIN)/pytest -n $(JOBS) --dist loadfile

test-long: setup ## property tests with thousands of cases
	@scripts/setup-services
	@TOCSIN_EXAMPLES=long $(BIN)/pytest -m "not postgres" tests

mutants: setup ## small wrong changes, each of which a comparison of engine and reference must notice
	@$(BIN)/python -m tests.mutants.run

fuzz: setup ## broken events and subscriptions for SECONDS (120), while a canary must ring
	@$(BIN)/python -m tests.fuzz.run --seconds $(or $(SECONDS),120)

check: setup ## format, lint, types, layers
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: setup ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: setup ## measure boolean selectors beside their baselines
	@$(BIN)/tocsin bench selectors

clean: ## remove what set-up and tests left behind
	@rm -rf $(VENV) .hypothesis .mypy_cache .pytest_cache .ruff_cache artifacts spark-warehouse
