// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batch normalisation: statistics per feature and what is made of them, in as few passes over
// memory as the layout allows.

#pragma once

#include "shardwise/runtime/DataType.h"

#include <cstdint>

namespace shardwise::execute {

/// A tensor whose elements are normalised per feature, row-major as [outer, features, inner].
struct FeatureShape {
  int64_t outer = 1, features = 1, inner = 1;

  int64_t elementsPerFeature() const { return outer * inner; }
  int64_t elements() const { return outer * features * inner; }
};

/// Kernels on f32 or f64. All arrays are dense and of that type; those per feature have `features`
/// elements. `scratch` has `batchNormScratchBytes(shape)` bytes.
struct BatchNormKernels {
  /// out = scale * (x - mean) / sqrt(variance + epsilon) + offset.
  void (*inference)(const FeatureShape &shape, const void *x, const void *scale, const void *offset,
                    const void *mean, const void *variance, double epsilon, void *out,
                    void *scratch);
  /// The same with the mean and the variance (by n, not n - 1) of x, which are written too.
  void (*training)(const FeatureShape &shape, const void *x, const void *scale, const void *offset,
                   double epsilon, void *out, void *mean, void *variance, void *scratch);
  /// Gradients of `training` with respect to x, scale and offset, for the gradient `g` of out.
  void (*gradient)(const FeatureShape &shape, const void *x, const void *scale, const void *mean,
                   const void *variance, const void *g, double epsilon, void *xGradient,
                   void *scaleGradient, void *offsetGradient, void *scratch);
};

/// Scratch memory of all kernels.
int64_t batchNormScratchBytes(const FeatureShape &shape);

/// Returns the kernels for f32 or f64; null for any other type.
const BatchNormKernels *findBatchNormKernels(runtime::DataType type);

} // namespace shardwise::execute
