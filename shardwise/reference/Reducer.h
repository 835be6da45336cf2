// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fold with a reduction region: what reduce and reduce_window do with one result element.

#pragma once

#include "shardwise/reference/Operations.h"

namespace shardwise::reference {

/// Folds elements of n inputs into n accumulators. Plain float sums and products are kept in double
/// and rounded once at the end, so that the reference is closer to the true number than any order
/// of rounding: a product of 100 elements in f16 may be 0 on the way, and not in the end.
class Reducer {
public:
  /// `inits` holds one rank-0 tensor per accumulator.
  Reducer(const ScalarRegion &body, Tensors inits) : body(body), count(inits.size()) {
    startWith(inits, 0);
  }

  /// Folds `numInputs` inputs, after `startWith`.
  Reducer(const ScalarRegion &body, size_t numInputs) : body(body), count(numInputs) {}

  /// Sets the accumulators to element `position` of `inits`, one tensor per accumulator, and lets
  /// these be the init values.
  void startWith(Tensors inits, int64_t position) {
    start.clear();
    for (size_t i = 0; i < count; ++i)
      start.push_back(
          convert(load(*inits[i], position), body.argumentType(static_cast<int64_t>(i))));
    bool isReal = start[0].isFloat();
    isFloatSum = body.singleOpName() == "stablehlo.add" && (isReal || start[0].isComplex());
    isFloatProduct = body.singleOpName() == "stablehlo.multiply" && isReal;
    restart();
  }

  /// Sets the accumulators to the init values.
  void restart() {
    arguments = start;
    arguments.append(start.begin(), start.end());
    wide = isFloatSum || isFloatProduct ? start[0].complex() : 0.0;
  }

  /// Folds element `position` of every input in.
  void add(Tensors inputs, int64_t position) {
    for (size_t i = 0; i < count; ++i)
      arguments[count + i] =
          convert(load(*inputs[i], position), body.argumentType(static_cast<int64_t>(count + i)));
    addArguments();
  }

  /// Folds the init values in, as padding does.
  void addInit() {
    std::copy(start.begin(), start.end(), arguments.begin() + static_cast<int64_t>(count));
    addArguments();
  }

  llvm::ArrayRef<Scalar> values() {
    if (isFloatSum || isFloatProduct)
      arguments[0] = Scalar::ofComplex(start[0].type(), wide);
    return llvm::ArrayRef(arguments).take_front(count);
  }

private:
  void addArguments() {
    if (isFloatSum) {
      wide += arguments[1].complex();
      return;
    }
    if (isFloatProduct) {
      wide = wide.real() * arguments[1].real();
      return;
    }
    llvm::ArrayRef<Scalar> folded = body(arguments);
    std::copy(folded.begin(), folded.end(), arguments.begin());
  }

  const ScalarRegion &body;
  size_t count;
  llvm::SmallVector<Scalar, 4> start;
  llvm::SmallVector<Scalar, 4> arguments;
  bool isFloatSum = false, isFloatProduct = false;
  std::complex<double> wide = 0.0; ///< The sum or the product.
};

} // namespace shardwise::reference
