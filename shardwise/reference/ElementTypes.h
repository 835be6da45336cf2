// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From MLIR types and constants to host tensors.

#pragma once

#include "shardwise/dialect/builtin/TensorTypes.h"
#include "shardwise/runtime/HostTensor.h"

#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>

#include <optional>

namespace shardwise::reference {

using builtin::elementTypeOf;

/// Returns a tensor of zeros of `type`. Requires `elementTypeOf(type)`.
runtime::HostTensor zerosOf(mlir::Type type);

/// Returns the tensor that a `dense<...>` or `dense_resource<...>` attribute holds; none if the
/// attribute is of another kind or its resource has no data.
std::optional<runtime::HostTensor> constantOf(mlir::ElementsAttr attr);

} // namespace shardwise::reference
