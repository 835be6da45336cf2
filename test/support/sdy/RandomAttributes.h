// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seeded random attributes of every kind, for property tests only. They need not fit any mesh or
// operation: all of what can be written is generated.

#pragma once

#include "shardwise/dialect/sdy/CoreBridge.h"
#include "test/support/core/RandomValues.h"

#include "mlir/IR/MLIRContext.h"

namespace shardwise::sdy::testing {

using core::testing::Random;

/// Makes attributes of one context.
class RandomAttributes {
public:
  RandomAttributes(mlir::MLIRContext *context, uint64_t seed) : context(context), random(seed) {}

  /// An attribute of a random kind; every kind of the dialect occurs.
  mlir::Attribute any();

  MeshAttr mesh();
  TensorShardingAttr sharding();
  OpShardingRuleAttr rule();
  PropagationEdgesAttr edges();

private:
  std::string name();
  int64_t anyInteger();
  core::AxisRef axisRef();
  AxisRefs axisRefs(int64_t atLeast, int64_t atMost);
  core::WrittenDimSharding dim();
  core::DimMapping dimMapping();
  AllToAllParam allToAllParam();
  EdgeValueRef edgeValue();
  AxisPropagation propagation();
  PropagationStep step(int64_t index);

  mlir::MLIRContext *context;
  Random random;
};

} // namespace shardwise::sdy::testing
