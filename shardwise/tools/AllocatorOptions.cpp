// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the programs ask of mimalloc. Part of each program, since it acts before `main`.

#include <mimalloc.h>

#include <cstddef>
#include <new>

#include <unistd.h>

namespace {

// For how many milliseconds memory is kept that nobody uses. A table that grows leaves one of half
// its size behind: kept for later, these make up a tenth of the peak of propagation, and to give
// them back at once costs it nothing to speak of. A program that does more asks for most of it
// again, and says how long it is kept. MIMALLOC_DECOMMIT_DELAY in the environment wins.
#ifndef SHARDWISE_DECOMMIT_DELAY
#define SHARDWISE_DECOMMIT_DELAY 0
#endif
[[maybe_unused]] const bool kIsSet = [] {
  mi_option_set_default(mi_option_decommit_delay, SHARDWISE_DECOMMIT_DELAY);
  return true;
}();

/// Calls the handler of `std::set_new_handler` (OutOfMemory.h), which ends the program with a
/// message. Before `main` there is none, and too little memory to throw an exception.
void sayThatMemoryRanOut() {
  if (std::new_handler handler = std::get_new_handler())
    return handler();
  constexpr char kText[] = "error: there is too little memory to start; allow the process more "
                           "(ulimit -v)\n";
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, kText, sizeof(kText) - 1);
  ::_exit(1);
}

} // namespace

// These are those of libmimalloc but for one thing: the library is C, does not see the handler of
// the C++ library, and aborts without a word when memory runs out. Memory goes back through the
// library's `operator delete`.

void *operator new(std::size_t bytes) {
  for (;; sayThatMemoryRanOut())
    if (void *memory = mi_malloc(bytes)) [[likely]]
      return memory;
}

void *operator new[](std::size_t bytes) {
  return operator new(bytes);
}

void *operator new(std::size_t bytes, std::align_val_t alignment) {
  for (;; sayThatMemoryRanOut())
    if (void *memory = mi_malloc_aligned(bytes, static_cast<std::size_t>(alignment))) [[likely]]
      return memory;
}

void *operator new[](std::size_t bytes, std::align_val_t alignment) {
  return operator new(bytes, alignment);
}
