// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From MLIR's builtin types to the types of tensors in host memory; the only such place. Both
// evaluators and the driver read types here, so that they agree on what a program is made of.

#pragma once

#include "shardwise/runtime/TensorType.h"

#include <mlir/IR/Types.h>

#include <optional>

namespace shardwise::builtin {

/// For diagnostics: the element types that `dataTypeOf` knows.
inline constexpr const char *kElementTypes =
    "f64, f32, bf16, f16, an f8 type, complex<f32>, complex<f64>, i1, i2..i64 or ui2..ui64";

/// Returns the data type of a scalar MLIR type; none if the runtime has no such type.
std::optional<runtime::DataType> dataTypeOf(mlir::Type scalarType);

/// Returns the data type of the elements of `type`; none unless it is a ranked tensor with a static
/// shape and elements of a known type.
std::optional<runtime::DataType> elementTypeOf(mlir::Type type);

/// Returns element type and shape of `type`; none where `elementTypeOf` gives none.
/// Example: `tensor<2x3xbf16>` gives {BF16, {2, 3}}.
std::optional<runtime::TensorType> tensorTypeOf(mlir::Type type);

} // namespace shardwise::builtin
