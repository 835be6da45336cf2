// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large buffers begin where a huge page may. Rows that are read from many buffers at a time leap
// from page to page: with pages of 4 KiB, reshards of 16 MiB took up to 1.5 times as long.

#include "shardwise/resharding/Buffer.h"

#include "shardwise/support/HugePages.h"

#include <fmt/format.h>

#include <new>

namespace shardwise::resharding {
namespace {

constexpr int64_t kLine = 64;
constexpr int64_t kHugePage = int64_t{2} << 20;

/// Frees what was allocated at this alignment.
struct Free {
  std::align_val_t alignment;

  void operator()(std::byte *bytes) const { ::operator delete(bytes, alignment); }
};

} // namespace

Result<Buffer> allocateBuffer(int64_t bytes) {
  if (bytes == 0)
    return Buffer();
  auto alignment = static_cast<std::align_val_t>(bytes >= kHugePage ? kHugePage : kLine);
  void *memory = ::operator new(static_cast<size_t>(bytes), alignment, std::nothrow);
  if (memory == nullptr) {
    return Error{
        ErrorKind::Infeasible,
        fmt::format("no memory for a buffer of {} B; use more devices or smaller shards", bytes)};
  }
  auto *begin = static_cast<std::byte *>(memory);
  adviseHugePages(begin, bytes);
  return Buffer(begin, Free{alignment});
}

} // namespace shardwise::resharding
