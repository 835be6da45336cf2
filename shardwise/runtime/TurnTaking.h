// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that share few threads: where one waits on a `WaitWord`, its thread goes on with
// another.
//
// Ranks that meet after every few microseconds of work would spend most of their time being put to
// sleep and woken by the kernel, eight on two cores. Here each has a stack of its own, and changing
// between them costs less than a microsecond.

#pragma once

#include "shardwise/runtime/WaitWord.h"

#include <cstdint>
#include <functional>

namespace shardwise::runtime {

/// Calls `function(0)` to `function(count - 1)`, each once, and returns when all have returned.
/// They may wait for each other, on `WaitWord`s only: one that blocks its thread otherwise may keep
/// those from running that it waits for. They may go on in another thread after each wait, so they
/// keep nothing in thread-local variables over one, but in `ownPointer`. They must not throw.
///
/// Returns false, having called none, where that cannot be done: there is no memory for stacks, the
/// system has no means to change them, or a sanitizer watches, which takes them for threads.
bool runInTurns(int64_t count, const std::function<void(int64_t)> &function);

/// If the caller is called by `runInTurns`, lets others go on until the value of `word` is not
/// `seen` or the deadline has passed, and returns true.
bool waitInTurn(const std::atomic<uint32_t> &word, uint32_t seen,
                WaitWord::Clock::time_point deadline);

/// A pointer of the caller's own, null at first. A function that `runInTurns` calls has one, and
/// finds it again behind a wait, in whatever thread that ends; all others have that of their
/// thread.
void *ownPointer();
void setOwnPointer(void *pointer);

/// Tells threads that have nothing to go on with that a word has changed.
void wakeTurns();

} // namespace shardwise::runtime
