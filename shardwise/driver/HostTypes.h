// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR tensor types as tensors in host memory.

#pragma once

#include "shardwise/runtime/HostTensor.h"
#include "shardwise/runtime/TensorType.h"
#include "shardwise/support/Result.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <span>

namespace shardwise::driver {

/// Returns how a tensor of MLIR type `type` lies in memory. Fails on types that are not ranked
/// static tensors of an element type that the executors support.
Result<runtime::TensorType> hostTypeOf(mlir::Type type);

/// Checks that `tensors` have the given types, in order. The error names the first that does not;
/// `what` is "input" or "expected output".
Result<void> checkTensors(std::span<const runtime::HostTensor> tensors,
                          llvm::ArrayRef<mlir::Type> types, llvm::StringRef what);
/// The same of tensors that are elsewhere.
Result<void> checkTypes(std::span<const runtime::TensorType> tensors,
                        llvm::ArrayRef<mlir::Type> types, llvm::StringRef what);

} // namespace shardwise::driver
