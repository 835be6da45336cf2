// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/driver/SourcePages.h"

#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

namespace shardwise::driver {

void releasePages(const llvm::MemoryBuffer &buffer) {
  if (buffer.getBufferKind() != llvm::MemoryBuffer::MemoryBuffer_MMap)
    return;
  // Whole pages only. A mapped file starts on one, and the rest of its last one is zeros.
  uintptr_t pageSize = static_cast<uintptr_t>(::getpagesize());
  auto start = reinterpret_cast<uintptr_t>(buffer.getBufferStart());
  uintptr_t first = (start + pageSize - 1) / pageSize * pageSize;
  uintptr_t last = reinterpret_cast<uintptr_t>(buffer.getBufferEnd()) / pageSize * pageSize;
  if (first < last)
    ::madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
}

} // namespace shardwise::driver
