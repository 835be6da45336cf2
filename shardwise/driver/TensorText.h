// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of a tensor as text for people and as JSON for machines.

#pragma once

#include "shardwise/runtime/HostTensor.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace shardwise::driver {

/// Returns the elements as nested lists, `[[1, 2], [3, 4]]`, one innermost list a line. Floats have
/// as many digits as it takes to read them back, complex numbers are `(real, imaginary)`. A tensor
/// of more than `maxElements` shows three entries at both ends of every dimension and `...` between
/// them.
std::string elementsText(const runtime::HostTensor &tensor, int64_t maxElements);

/// Returns the elements as one flat list in row-major order. NaN and infinities are the strings
/// "NaN", "Infinity" and "-Infinity"; complex numbers are pairs.
nlohmann::ordered_json elementsJson(const runtime::HostTensor &tensor);

} // namespace shardwise::driver
