// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

namespace shardwise::python {

void bindPlans(nanobind::module_ &module);

} // namespace shardwise::python
