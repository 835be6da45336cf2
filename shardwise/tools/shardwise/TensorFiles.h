// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensors that go into a program and come out of it: files, random values, and the options that
// name them.

#pragma once

#include "shardwise/driver/CompareTensors.h"
#include "shardwise/driver/InputParts.h"
#include "shardwise/runtime/HostTensor.h"
#include "shardwise/runtime/TensorType.h"
#include "shardwise/support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace shardwise::tools {

/// Where tensors are: a folder with 0.npy, 1.npy, ..., or a comma-separated list of files; empty if
/// not given.
struct TensorPlaces {
  std::string inputs;
  std::string expected;
  std::string outputFolder;
  uint64_t seed = 0;
};

/// The tensors of an entry function: one input per argument, and one expected output per result or
/// none at all.
struct GivenTensors {
  std::vector<runtime::HostTensor> inputs;
  std::vector<runtime::HostTensor> expected;
};

/// Adds --inputs, --expect, --outputs and --seed.
void addTensorOptions(CLI::App &command, TensorPlaces &places);
/// Adds --rtol and --atol.
void addToleranceOptions(CLI::App &command, driver::Tolerance &tolerance);

/// Reads what `places` name; without input files returns random inputs. Fails if a file cannot be
/// read, or if a tensor has another type than the function has there.
Result<GivenTensors> readTensors(const TensorPlaces &places, mlir::func::FuncOp entry);

/// Returns what tensors of these types are in memory. Fails on types that no tensor here has.
Result<std::vector<runtime::TensorType>> hostTypes(llvm::ArrayRef<mlir::Type> types);

/// Opens the input files, of which parts can be read from then on; without files inputs are random.
/// Fails as `readTensors` does.
Result<std::unique_ptr<driver::InputParts>> openInputs(const TensorPlaces &places,
                                                       mlir::func::FuncOp entry);
/// Reads the expected outputs; returns none if there are none.
Result<std::vector<runtime::HostTensor>> readExpected(const TensorPlaces &places,
                                                      mlir::func::FuncOp entry);

/// Writes 0.npy, 1.npy, ... into `folder`, which is made if it does not exist.
Result<void> writeTensors(const std::string &folder, std::span<const runtime::HostTensor> tensors);

} // namespace shardwise::tools
