// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large memory in pages of 2 MiB, where the system has them: fresh memory costs a fault per page,
// and a page of 4 KiB takes as long to come by as to fill.

#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace shardwise {

/// Asks for huge pages in those of the `bytes` bytes from `begin` that can have them. To be called
/// before they are first touched. A hint: nothing depends on it.
inline void adviseHugePages([[maybe_unused]] std::byte *begin, [[maybe_unused]] int64_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr uintptr_t kPage = uintptr_t{2} << 20;
  auto address = reinterpret_cast<uintptr_t>(begin);
  uintptr_t first = (address + kPage - 1) / kPage * kPage;
  uintptr_t last = (address + static_cast<uintptr_t>(bytes)) / kPage * kPage;
  if (begin && first < last)
    madvise(begin + (first - address), last - first, MADV_HUGEPAGE);
#endif
}

} // namespace shardwise
