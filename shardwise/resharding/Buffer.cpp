// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/resharding/Buffer.h"

#include <fmt/format.h>

#include <new>

namespace shardwise::resharding {
namespace {

constexpr std::align_val_t kAlignment{64};

struct Free {
  void operator()(std::byte *bytes) const { ::operator delete(bytes, kAlignment); }
};

} // namespace

Result<Buffer> allocateBuffer(int64_t bytes) {
  if (bytes == 0)
    return Buffer();
  void *memory = ::operator new(static_cast<size_t>(bytes), kAlignment, std::nothrow);
  if (memory == nullptr) {
    return Error{
        ErrorKind::Infeasible,
        fmt::format("no memory for a buffer of {} B; use more devices or smaller shards", bytes)};
  }
  return Buffer(static_cast<std::byte *>(memory), Free());
}

} // namespace shardwise::resharding
