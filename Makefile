# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Thin front of CMake and the scripts: one command per task. `make help` lists them.

PRESET ?= dev
BUILD_DIR := $(if $(filter dev,$(PRESET)),build,build-$(PRESET))
CMAKE := cmake
PYTHON := .venv/bin/python
export CCACHE_SLOPPINESS := pch_defines,time_macros,include_file_mtime,include_file_ctime

.PHONY: help setup setup-optional build run test ci test-long test-export docs wheel bench bench-parsing bench-propagation \
  bench-planner bench-resharding bench-files bench-mpi bench-hosts bench-redistribute bench-partition bench-forms bench-jax bench-steps bench-torch \
  lint tidy format clean

help:
	@echo "make run          set up, build, and run every example: partitioned, verified"
	@echo "make test         set up, build, lint, and run every test; last line has the totals"
	@echo "make setup-optional  also what optional parts need: MPI, a browser, PyTorch, JAX"
	@echo "make build        set up and build; tools land in $(BUILD_DIR)/bin"
	@echo "make ci           make test, the wheel, and the layers without LLVM by g++ under sanitizers"
	@echo "make test-long    the tests that take longer (sanitizers, re-export with JAX)"
	@echo "make test-export  export the examples again with JAX and compare"
	@echo "make lint         layers and their doors, tests that every op and pass has, formatting"
	@echo "make format       clang-format on all sources"
	@echo "make tidy         clang-tidy on the layers without LLVM; scripts/lint_tidy FILE... on others"
	@echo "make docs         the pages of dialects and passes from their definitions"
	@echo "make wheel        dist/shardwise-*.whl with all that it needs, tried in an empty environment"
	@echo "make bench        all benchmarks; takes minutes"
	@echo "make bench-parsing      time to read and verify 50,000 ops, beside jaxlib"
	@echo "make bench-propagation  time and memory of propagation, beside jaxlib"
	@echo "make bench-planner      time of reshard plans by strategy (needs libbenchmark-dev)"
	@echo "make bench-resharding   reshards in one process beside copies of the same bytes"
	@echo "make bench-files        reshards of files beside cp and NumPy; writes 6 GiB"
	@echo "make bench-mpi          reshards and collectives by 8 processes beside MPI and ScaLAPACK"
	@echo "make bench-hosts        plans that know two hosts with a slow link beside flat ones (plays the hosts; needs root)"
	@echo "make bench-redistribute  redistributes of 8 processes, beside DTensor's (needs PyTorch)"
	@echo "make bench-partition    collectives, bytes and memory of 161 programs, beside XLA's and an expert's"
	@echo "make bench-forms        time and text of partition on 8 to 65,536 devices"
	@echo "make bench-steps        training steps beside JAX's, on one and 8 CPU devices (after make setup-optional)"
	@echo "make bench-jax          shardwise.jax.jit beside jax.jit (after make setup-optional)"
	@echo "make bench-torch        training steps of shardwise.torch beside eager PyTorch (after make setup-optional)"
	@echo "PRESET=core|core-asan|core-tsan|release|asan|tsan builds another configuration (folder build-PRESET)"

setup:
	@scripts/setup

setup-optional:
	@scripts/setup --optional

$(BUILD_DIR)/build.ninja: CMakePresets.json | setup
	@$(CMAKE) --preset $(PRESET)

build: setup $(BUILD_DIR)/build.ninja
	@$(CMAKE) --build --preset $(PRESET)

run: build
	@scripts/run_examples.py --tool $(BUILD_DIR)/bin/shardwise

test: build
	@$(PYTHON) scripts/run_tests.py --build-dir $(BUILD_DIR) --unit-tests-of $(UNIT_TESTS_OF)

ci: setup-optional
	@$(MAKE) --no-print-directory build PRESET=core-asan
	@$(MAKE) --no-print-directory build PRESET=core-tsan
	@$(MAKE) --no-print-directory wheel
	@$(MAKE) --no-print-directory test UNIT_TESTS_OF="build-core-asan build-core-tsan"

test-export: setup
	@scripts/test_export

test-long: build
	@scripts/test_long

docs: setup
	@scripts/generate_docs.py

wheel: build
	@scripts/make_wheel $(BUILD_DIR)

bench: bench-parsing bench-propagation bench-planner bench-resharding bench-files bench-mpi bench-partition bench-forms

bench-parsing: build
	@$(PYTHON) benchmarks/parsing --opt $(BUILD_DIR)/bin/shardwise-opt --python .venv-jax/bin/python

bench-propagation: build
	@scripts/bench_propagation $(BUILD_DIR)/bin/shardwise-opt

bench-planner: build
	@scripts/bench_planner $(BUILD_DIR)

bench-mpi: build
	@scripts/bench_mpi $(BUILD_DIR) $(OPTIONS)

bench-hosts: build
	@scripts/on_two_hosts.py --rate 80mbit $(BUILD_DIR)/benchmarks/mpi_benchmark 5 hosts 10e6

bench-resharding: build
	@$(BUILD_DIR)/benchmarks/reshard_execute $(OPTIONS)

bench-files: build
	@$(PYTHON) benchmarks/files --tool $(BUILD_DIR)/bin/shardwise $(OPTIONS)

bench-redistribute: build
	@$(PYTHON) benchmarks/redistribute --package $(BUILD_DIR)/python $(OPTIONS)

bench-partition: build
	@$(PYTHON) benchmarks/partition --tool $(BUILD_DIR)/bin/shardwise --python .venv-jax/bin/python $(OPTIONS)

bench-jax: build
	@$(PYTHON) benchmarks/jax --package $(BUILD_DIR)/python $(OPTIONS)

bench-steps: build
	@$(PYTHON) benchmarks/steps --tool $(BUILD_DIR)/bin/shardwise $(OPTIONS)

bench-torch: build
	@PYTHONPATH=$(BUILD_DIR)/python $(PYTHON) benchmarks/torch $(OPTIONS)

bench-forms: build
	@$(PYTHON) benchmarks/forms --tool $(BUILD_DIR)/bin/shardwise
	@$(PYTHON) benchmarks/forms --tool $(BUILD_DIR)/bin/shardwise --exchanges --repetitions 3

lint: setup
	@scripts/lint_layers.py
	@scripts/lint_op_tests.py
	@scripts/lint_pass_tests.py
	@scripts/lint_unit_tests.py
	@scripts/lint_format

tidy: build
	@BUILD_DIR=$(BUILD_DIR) scripts/lint_tidy

format: setup
	@scripts/lint_format --fix

clean:
	rm -rf build build-core build-core-asan build-core-tsan build-release build-asan build-tsan
