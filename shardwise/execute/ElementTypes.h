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

/// Returns the data type of a scalar MLIR type: f64 f32 bf16 f16, the f8 types, complex of f32 and
/// f64, i1, i2..i64 or ui2..ui64.
std::optional<runtime::DataType> dataTypeOf(mlir::Type elementType);

/// Returns element type and shape of `type`, if it is a static ranked tensor of a known type
/// without encoding. A token is a tensor without elements: the order it stands for is that of the
/// thunks.
std::optional<TensorType> tensorTypeOf(mlir::Type type);

/// For diagnostics: what `tensorTypeOf` takes.
inline constexpr const char *kSupportedTypes = "a static tensor of f64, f32, bf16, f16, an f8 "
                                               "type, complex<f32>, complex<f64>, i1, i2..i64 or "
                                               "ui2..ui64";

/// The value of a constant. A splat holds one element, whatever the shape.
struct ConstantData {
  std::vector<std::byte> bytes;
  bool isSplat = false;
};

/// Returns the data of `attr`; none if its kind or type is unknown or its resource has no data.
std::optional<ConstantData> constantDataOf(mlir::ElementsAttr attr);

} // namespace shardwise::execute
