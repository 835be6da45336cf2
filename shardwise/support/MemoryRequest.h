// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What large memory is asked for, so that a program that ends because there is none can say it.

#pragma once

#include <cstdint>

namespace shardwise {

/// Says, while it lives, that its thread asks for `bytes` bytes for `what` ("a tensor"). Containers
/// have no way to fail without exceptions: where the request cannot be met, the handler of
/// `std::set_new_handler` is called on the same thread, and may look here.
/// Example: `MemoryRequest request(bytes, "a tensor"); tensor.bytes.resize(bytes);`
class MemoryRequest {
public:
  MemoryRequest(int64_t bytes, const char *what) : bytes(bytes), what(what), outer(current) {
    current = this;
  }
  ~MemoryRequest() { current = outer; }
  MemoryRequest(const MemoryRequest &) = delete;
  MemoryRequest &operator=(const MemoryRequest &) = delete;

  /// The innermost request of this thread; null if there is none.
  static const MemoryRequest *ofThisThread() { return current; }

  const int64_t bytes;
  const char *const what;

private:
  const MemoryRequest *const outer;
  static inline thread_local const MemoryRequest *current = nullptr;
};

} // namespace shardwise
