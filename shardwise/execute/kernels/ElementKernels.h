// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise kernels: typed loops over contiguous elements, looked up by operation and type.

#pragma once

#include "shardwise/core/ReductionKind.h"
#include "shardwise/runtime/DataType.h"

#include <cstdint>

namespace shardwise::execute {

using runtime::DataType;

/// What a kernel computes. Semantics are those of the StableHLO (or chlo) op of that name.
enum class ElementOp : uint8_t {
  // Unary on floats, some on integers.
  Abs,
  Negate,
  Sign,
  Not,
  PopulationCount,
  CountLeadingZeros,
  Ceil,
  Floor,
  RoundAwayFromZero,
  RoundToEven,
  Exponential,
  ExponentialMinusOne,
  Log,
  LogPlusOne,
  Logistic,
  Sqrt,
  ReciprocalSqrt,
  CubeRoot,
  Sine,
  Cosine,
  Tangent,
  HyperbolicTangent,
  Erf,
  Erfc,
  ErfInverse,
  Square,
  Acos,
  Acosh,
  Asin,
  Asinh,
  Atan,
  Atanh,
  Cosh,
  Sinh,
  LogGamma,
  Digamma,
  BesselI1e,
  IsFinite,
  IsInfinite,
  IsPositiveInfinite,
  IsNegativeInfinite,
  ReducePrecision,
  Copy,
  Zero,
  // Parts of complex numbers; Abs gives a real number too.
  Real,
  Imaginary,
  Conjugate,
  // Binary.
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Power,
  Maximum,
  Minimum,
  Atan2,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRightLogical,
  ShiftRightArithmetic,
  NextAfter,
  Polygamma,
  Zeta,
  MultiplyHigh,
  MakeComplex,
  // Comparisons: elements of the operand type to i1.
  Equal,
  NotEqual,
  GreaterEqual,
  Greater,
  LessEqual,
  Less,
  TotalEqual,
  TotalNotEqual,
  TotalGreaterEqual,
  TotalGreater,
  TotalLessEqual,
  TotalLess,
  // Ternary, and conversion between two types.
  Select,
  Clamp,
  Convert,
};

/// Attributes of an op that its kernel needs: the bit counts of reduce_precision.
struct KernelArguments {
  int32_t exponentBits = 0;
  int32_t mantissaBits = 0;
};

/// Computes `count` elements of `result` from dense operands. `result` may be the same memory as
/// an operand of the same element size, but must not overlap one in part.
using ElementKernel = void (*)(void *result, const void *const *operands, int64_t count,
                               const KernelArguments &arguments);

/// Returns the kernel of `op` on operands of type `from` (for Select: of the branches) giving
/// elements of type `to`, or null if the op is not defined on them.
ElementKernel findElementKernel(ElementOp op, DataType from, DataType to);

/// Folds `count` dense elements into the one at `accumulator`. Float sums run in several lanes, so
/// their order differs from ascending.
using FoldKernel = void (*)(void *accumulator, const void *elements, int64_t count);
/// Returns the kernel that combines elements of `type` by `kind`, or null if they cannot be.
FoldKernel findFoldKernel(core::ReductionKind kind, DataType type);

/// Writes the running fold: `result[i] = result[i-1] op elements[i]`, where `result[-1]` is the
/// element at `accumulator`. Elements lie `stride` apart, which may be negative.
using ScanKernel = void (*)(void *result, const void *accumulator, const void *elements,
                            int64_t count, int64_t stride);
/// Returns the scan by `kind`, or null as above.
ScanKernel findScanKernel(core::ReductionKind kind, DataType type);

struct MatrixKernels;
struct BatchNormKernels;
struct FourierKernels;
struct FeatureShape;
struct SelectedRows;

/// The kernels compiled for one instruction set.
struct KernelSet {
  ElementKernel (*findElement)(ElementOp op, DataType from, DataType to);
  FoldKernel (*findFold)(core::ReductionKind kind, DataType type);
  ScanKernel (*findScan)(core::ReductionKind kind, DataType type);
  const MatrixKernels *(*findMatrix)(DataType type);
  const BatchNormKernels *(*findBatchNorm)(DataType type);
  int64_t (*batchNormScratch)(const FeatureShape &shape);
  const FourierKernels *(*findFourier)(DataType type);
  void (*(*findSelectRows)(ElementOp keep, DataType type))(const SelectedRows &rows);
};

} // namespace shardwise::execute
