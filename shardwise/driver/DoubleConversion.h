// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors as vectors of double, for comparing and making values of any element type.

#pragma once

#include "shardwise/runtime/HostTensor.h"

#include <span>
#include <vector>

namespace shardwise::driver {

/// Returns the elements in row-major order, complex ones as real part, imaginary part. 64-bit
/// integers beyond 2^53 round to nearest.
std::vector<double> toDoubles(const runtime::HostTensor &tensor);

/// Returns the tensor of `values`, each rounded to the element type. Requires one value per
/// element, two for complex types, in the range of the type.
runtime::HostTensor fromDoubles(runtime::DataType type, const std::vector<int64_t> &shape,
                                std::span<const double> values);

} // namespace shardwise::driver
