// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of NumPy as tensors of ours. Elements pass as bytes: NumPy knows neither bf16 nor types of
// 8 bits and less, and the package says by name what the bytes are.

#pragma once

#include "shardwise/runtime/HostTensor.h"

#include <string>
#include <tuple>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace shardwise::python {

/// Bytes of an array in row-major order, read only.
using BytesIn =
    nanobind::ndarray<const uint8_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using BytesOut = nanobind::ndarray<nanobind::numpy, uint8_t, nanobind::ndim<1>>;
/// Element type as in StableHLO, shape, bytes.
using ArrayIn = std::tuple<std::string, std::vector<int64_t>, BytesIn>;
using ArrayOut = std::tuple<std::string, std::vector<int64_t>, BytesOut>;

/// Copies the elements. Throws if the type is not known or the number of bytes is another one.
runtime::HostTensor fromArray(const ArrayIn &array);
std::vector<runtime::HostTensor> fromArrays(const std::vector<ArrayIn> &arrays);

/// Hands the elements over without a copy: Python owns the tensor now.
ArrayOut toArray(runtime::HostTensor tensor);
std::vector<ArrayOut> toArrays(std::vector<runtime::HostTensor> tensors);

} // namespace shardwise::python
