// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The answer to what PyTorch's device guard asks, which keeps exceptions that are on their way.

#pragma once

#include <nanobind/nanobind.h>

namespace shardwise::python {

/// Adds the class `GuardAnswer` to the module.
void bindGuards(nanobind::module_ &module);

} // namespace shardwise::python
