# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configuration of the lit suite: test/<layer>/**/*.mlir and *.test.

The first lines of a test say how to run it:

    // RUN: shardwise-opt %s -split-input-file -verify-diagnostics
    // RUN: shardwise-opt %s | FileCheck %s

`shardwise-opt`, `shardwise`, `FileCheck`, `not` and `split-file` are on the path.
"""

import os

import lit.formats

config.name = "Shardwise"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# Inputs of tests, and the suites with runners of their own.
config.excludes = ["Inputs", "answers", "cli", "conformance", "fuzz", "programs", "support", "__pycache__", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.shardwise_build_dir, "test")

config.environment["PATH"] = os.pathsep.join(
    [config.shardwise_tools_dir, config.llvm_tools_dir, config.environment.get("PATH", "")])
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --allow-unused-prefixes=false"

config.substitutions.append(("%examples", os.path.join(config.shardwise_source_dir, "examples")))
