// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All windows of a block are walked together, tap by tap: what they have selected so far and the
// number of its tap stay in registers. Then every tap is walked once more, and the windows that
// selected it give it their update.
//
// Example, windows of two elements, two lanes: elements (3, 1) and (2, 4) with >= select taps (0,
// 1). Updates (10, 20) make results (10, 0) and (0, 20).

#include "shardwise/execute/kernels/SelectionKernels.h"

#include "shardwise/execute/kernels/BinaryFunctions.h"
#include "shardwise/execute/kernels/CompareFunctions.h"

#include <algorithm>

namespace shardwise::execute {
inline namespace SHARDWISE_ISA {
namespace {

/// Lanes at a time: what is kept of them stays in the nearest cache.
constexpr int64_t kBlock = 256;

/// Numbers of taps are as wide as elements, so that both are compared by one vector.
template <class T> using TapNumber = std::conditional_t<sizeof(Compute<T>) == 8, int64_t, int32_t>;

template <class T, class Keep, bool isFirst>
void selectBlock(const SelectedRows &rows, int64_t begin, int64_t count) {
  Compute<T> selected[kBlock];
  TapNumber<T> tapOf[kBlock];
  const auto *first = static_cast<const T *>(rows.elements[0]) + begin;
  for (int64_t lane = 0; lane < count; ++lane) {
    selected[lane] = widen(first[lane]);
    tapOf[lane] = 0;
  }
  for (int64_t tap = 1; tap < rows.numTaps; ++tap) {
    const auto *next = static_cast<const T *>(rows.elements[tap]) + begin;
    auto number = static_cast<TapNumber<T>>(tap);
    for (int64_t lane = 0; lane < count; ++lane) {
      Compute<T> candidate = widen(next[lane]);
      bool keeps = Keep::apply(selected[lane], candidate);
      selected[lane] = keeps ? selected[lane] : candidate;
      tapOf[lane] = keeps ? tapOf[lane] : number;
    }
  }
  const auto *updates = static_cast<const T *>(rows.updates) + begin;
  for (int64_t tap = 0; tap < rows.numTaps; ++tap) {
    auto *result = static_cast<T *>(rows.results[tap]) + begin;
    auto number = static_cast<TapNumber<T>>(tap);
    T init = isFirst ? *static_cast<const T *>(rows.init) : T();
    SHARDWISE_INDEPENDENT_LOOP
    for (int64_t lane = 0; lane < count; ++lane) {
      T before = isFirst ? init : result[lane];
      T sum = T(AddFunction::apply(widen(before), widen(updates[lane])));
      result[lane] = tapOf[lane] == number ? sum : before;
    }
  }
}

template <class T, class Keep> SHARDWISE_KERNEL void selectRows(const SelectedRows &rows) {
  for (int64_t begin = 0; begin < rows.numLanes; begin += kBlock) {
    int64_t count = std::min(kBlock, rows.numLanes - begin);
    if (rows.init)
      selectBlock<T, Keep, true>(rows, begin, count);
    else
      selectBlock<T, Keep, false>(rows, begin, count);
  }
}

template <class Keep> SelectRowsKernel pick(DataType type) {
  return forType(PlainTypes(), type,
                 []<class T>() -> SelectRowsKernel { return &selectRows<T, Keep>; });
}

} // namespace

SelectRowsKernel findSelectRows(ElementOp keep, DataType type) {
  switch (keep) {
  case ElementOp::GreaterEqual:
    return pick<GreaterEqualFunction>(type);
  case ElementOp::Greater:
    return pick<GreaterFunction>(type);
  case ElementOp::LessEqual:
    return pick<LessEqualFunction>(type);
  case ElementOp::Less:
    return pick<LessFunction>(type);
  default:
    return nullptr;
  }
}

} // namespace SHARDWISE_ISA
} // namespace shardwise::execute
