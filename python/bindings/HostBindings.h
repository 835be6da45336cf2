// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

namespace shardwise::python {

void bindHost(nanobind::module_ &module);

} // namespace shardwise::python
