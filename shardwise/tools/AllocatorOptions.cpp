// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the programs ask of mimalloc. Part of each program, since it acts before `main`.

#include <mimalloc.h>

namespace {

// A table that grows leaves one of half its size behind. Kept for later, as mimalloc does for a
// while, these make up a tenth of the peak; to give them back at once costs nothing to speak of.
// MIMALLOC_DECOMMIT_DELAY in the environment wins.
[[maybe_unused]] const bool kIsSet = [] {
  mi_option_set_default(mi_option_decommit_delay, 0);
  return true;
}();

} // namespace
