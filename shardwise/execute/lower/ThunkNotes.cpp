// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notes of thunks while they are made.

#include "shardwise/execute/ThunkNotes.h"

#include "shardwise/execute/lower/OpFlops.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <utility>

namespace shardwise::execute {
namespace {

thread_local ThunkNotes *current = nullptr;

/// More ops of a group are counted, not named.
constexpr size_t kMostNames = 4;

/// `add, tanh and 3 more`; each name once.
std::string namesOf(llvm::ArrayRef<mlir::Operation *> ops) {
  llvm::SmallVector<llvm::StringRef> names;
  for (mlir::Operation *op : ops) {
    llvm::StringRef name = op->getName().getStringRef();
    name.consume_front("stablehlo.");
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  }
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    text += (i > 0 ? ", " : "") + names[i].str();
  if (names.size() > kMostNames)
    text += " and " + std::to_string(names.size() - kMostNames) + " more";
  return text;
}

} // namespace

ThunkNotes::ThunkNotes(std::function<std::string(mlir::Operation &)> placeOf)
    : placeOf(std::move(placeOf)) {
  current = this;
}

ThunkNotes::~ThunkNotes() {
  stop();
}

void ThunkNotes::stop() {
  if (current == this)
    current = nullptr;
}

ThunkNotes *ThunkNotes::ofThread() {
  return current;
}

void ThunkNotes::add(ThunkKey thunk, std::string name, mlir::Operation *op, int64_t bytes) {
  std::vector<mlir::Operation *> ops = fused;
  if (ops.empty() && op)
    ops.push_back(op);
  ThunkInfo info;
  info.name = std::move(name);
  info.op = namesOf(ops);
  info.bytes = bytes;
  for (mlir::Operation *one : ops)
    info.flops += flopsOf(*one);
  mlir::Operation *last = ops.empty() ? nullptr : ops.back();
  if (last) {
    info.place = placeOf(*last);
    if (last == lastOp)
      infos[lastThunk].flops = 0;
  }
  lastOp = last;
  lastThunk = thunk;
  infos[thunk] = std::move(info);
}

} // namespace shardwise::execute
