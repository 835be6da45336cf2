// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph that shardwise.torch records: its nodes, what tensors share, and the key of a graph.

#pragma once

#include <nanobind/nanobind.h>

namespace shardwise::python {

/// Adds the types `GraphNode` and `GraphStorage`, and the functions `read_graph`,
/// `pending_storages` and `forget_pending`, to the module.
void bindGraphs(nanobind::module_ &module);

} // namespace shardwise::python
