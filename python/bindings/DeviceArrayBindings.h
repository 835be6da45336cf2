// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that stay on the devices between the runs of programs.

#pragma once

#include <nanobind/nanobind.h>

namespace shardwise::python {

void bindDeviceArrays(nanobind::module_ &module);

} // namespace shardwise::python
