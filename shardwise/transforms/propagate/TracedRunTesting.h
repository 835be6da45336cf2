// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: runs propagation on a program and writes down, by the names in its text, where every
// axis came from and which conflicts there were. Every chain is replayed on the way.

#pragma once

#include "shardwise/transforms/propagate/PropagationRun.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shardwise::propagate {

/// What a run left behind.
struct TracedRun {
  /// By value name: its sharding.
  std::map<std::string, std::string> shardings;
  /// By value name, one chain per part of an axis, in order: dimension, part, and the way back.
  /// `0 "data" <- %y 0 (tanh) <- %x 0 (dot_general)`; a part that is annotated ends at once.
  std::map<std::string, std::vector<std::string>> chains;
  /// `dot_general: %c 0 {"x"} from %a over %b 1 {"x"} from %b (other_dimension, larger_source)`.
  std::vector<std::string> conflicts;
  /// Links that do not hold when replayed, and axes that no chain explains. Empty if all is well.
  std::vector<std::string> faults;
  int numChains = 0;
};

/// Parses `text`, prepares it as the pipeline does, and propagates. Fails the test if that fails.
void observeRun(std::string_view text, PropagationObserver &observer,
                PropagationOptions options = {});

/// The same, and writes down what happened.
TracedRun traceRun(std::string_view text, PropagationOptions options = {});

} // namespace shardwise::propagate
