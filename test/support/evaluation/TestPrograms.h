// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: programs and tensors from text, diagnostics as text.

#pragma once

#include "shardwise/runtime/HostTensor.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/OwningOpRef.h>

#include <random>
#include <string>

namespace shardwise::reference {

/// A context with all dialects of the project that collects diagnostics.
class TestPrograms {
public:
  TestPrograms();

  /// Returns the module, or none after diagnostics.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);
  /// Returns the value of `dense<...> : tensor<...>`; an empty tensor if it does not parse.
  runtime::HostTensor tensor(const std::string &text);
  /// Everything reported so far, one line each.
  const std::string &diagnostics() const { return messages; }

  mlir::MLIRContext &context() { return mlirContext; }

private:
  mlir::MLIRContext mlirContext;
  std::string messages;
};

/// Returns a tensor of random elements: floats and parts of complex numbers in [-2, 2], small
/// integers, truth values.
runtime::HostTensor randomTensor(std::mt19937 &random, runtime::DataType type,
                                 std::vector<int64_t> shape);

} // namespace shardwise::reference
