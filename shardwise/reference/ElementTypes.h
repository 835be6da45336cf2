// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From MLIR types and constants to host tensors.

#pragma once

#include "shardwise/runtime/HostTensor.h"

#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>

#include <optional>

namespace shardwise::reference {

/// Returns the data type of the elements of tensor type `type`, if it is a static ranked tensor of
/// a type the evaluator knows: all of runtime::DataType.
std::optional<runtime::DataType> elementTypeOf(mlir::Type type);

/// Returns a tensor of zeros of `type`. Requires `elementTypeOf(type)`.
runtime::HostTensor zerosOf(mlir::Type type);

/// Returns the tensor that a `dense<...>` or `dense_resource<...>` attribute holds; none if the
/// attribute is of another kind or its resource has no data.
std::optional<runtime::HostTensor> constantOf(mlir::ElementsAttr attr);

} // namespace shardwise::reference
