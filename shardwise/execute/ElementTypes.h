// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From MLIR tensor types and constants to bytes.

#pragma once

#include "shardwise/execute/Program.h"

#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace shardwise::execute {

/// Returns the data type of a scalar MLIR type the kernels know: f64 f32 bf16 f16 i1 i8..i64
/// ui8..ui64.
std::optional<runtime::DataType> dataTypeOf(mlir::Type elementType);

/// Returns element type and shape of `type`, if it is a static ranked tensor of a known type
/// without encoding.
std::optional<TensorType> tensorTypeOf(mlir::Type type);

/// The value of a constant. A splat holds one element, whatever the shape.
struct ConstantData {
  std::vector<std::byte> bytes;
  bool isSplat = false;
};

/// Returns the data of `attr`; none if its kind or type is unknown or its resource has no data.
std::optional<ConstantData> constantDataOf(mlir::ElementsAttr attr);

} // namespace shardwise::execute
