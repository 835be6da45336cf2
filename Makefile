# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Thin front of CMake and the scripts: one command per task. `make help` lists them.

PRESET ?= dev
BUILD_DIR := $(if $(filter dev,$(PRESET)),build,build-$(PRESET))
CMAKE := cmake
export CCACHE_SLOPPINESS := pch_defines,time_macros,include_file_mtime,include_file_ctime

.PHONY: help setup build run test test-long test-export bench-propagation bench-parsing lint format clean

help:
	@echo "make run          set up, build, and run every example: partitioned, verified"
	@echo "make test         set up, build, and run every test; last line has the totals"
	@echo "make build        set up and build; tools land in $(BUILD_DIR)/bin"
	@echo "make test-long    the tests that take longer (sanitizers, re-export with JAX)"
	@echo "make test-export  export the examples again with JAX and compare"
	@echo "make bench-parsing    time to read and verify 50,000 ops, beside jaxlib"
	@echo "make bench-propagation  time and memory of propagation, beside jaxlib; takes minutes"
	@echo "make lint         layers and their doors, tests that every op and pass has, formatting"
	@echo "make format       clang-format on all sources"
	@echo "PRESET=core|release|asan|tsan builds another configuration (folder build-PRESET)"

setup:
	@scripts/setup

$(BUILD_DIR)/build.ninja: CMakePresets.json | setup
	@$(CMAKE) --preset $(PRESET)

build: setup $(BUILD_DIR)/build.ninja
	@$(CMAKE) --build $(BUILD_DIR)

run: build
	@scripts/run_examples.py --tool $(BUILD_DIR)/bin/shardwise

test: build
	@.venv/bin/python scripts/run_tests.py --build-dir $(BUILD_DIR)

test-export: setup
	@scripts/test_export

test-long: build
	@scripts/test_long

bench-parsing: build
	@.venv/bin/python benchmarks/parsing --opt $(BUILD_DIR)/bin/shardwise-opt --python .venv-jax/bin/python

bench-propagation: build
	@scripts/bench_propagation $(BUILD_DIR)/bin/shardwise-opt

lint: setup
	@scripts/lint_layers.py
	@scripts/lint_op_tests.py
	@scripts/lint_pass_tests.py
	@scripts/lint_format

format: setup
	@scripts/lint_format --fix

clean:
	rm -rf build build-core build-release build-asan build-tsan
