// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several processes that do one call together: what they tell each other. Elements are not among
// it, as all of them see all files.

#pragma once

#include "shardwise/runtime/Communicator.h"
#include "shardwise/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardwise::files {

/// This process among those of a call.
class Ranks {
public:
  /// One process, without a communicator.
  explicit Ranks(runtime::Communicator *communicator) : communicator(communicator) {}

  int64_t rank() const { return communicator ? communicator->rank() : 0; }
  int64_t size() const { return communicator ? communicator->size() : 1; }
  bool isFirst() const { return rank() == 0; }

  /// Waits until all ranks are here, and returns what each says, by rank: at most 255 bytes. Fails
  /// if one has failed or does not come in time.
  Result<std::vector<std::string>> exchange(const std::string &own);
  /// Waits until all ranks are here.
  Result<void> meet();

private:
  runtime::Communicator *communicator;
  int64_t numExchanges = 0;
};

} // namespace shardwise::files
