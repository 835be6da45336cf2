// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between attributes and core values, both ways: the only such place.
//
// Attributes hold core values, so reading one costs nothing. Algorithms work on resolved values
// (`core::Sharding`), which need the mesh; see ShardingAccess.h for where to get it.

#pragma once

#include "shardwise/dialect/sdy/SdyAttrs.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace shardwise::sdy {

/// Starts the diagnostic that an error message is appended to.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

// Attribute to core value.
inline const core::MeshAxis &toCore(MeshAxisAttr attr) {
  return attr.getAxis();
}
inline const core::Mesh &toCore(MeshAttr attr) {
  return attr.getMesh();
}
inline const core::SubAxis &toCore(SubAxisInfoAttr attr) {
  return attr.getSubAxis();
}
inline const core::AxisRef &toCore(AxisRefAttr attr) {
  return attr.getAxis();
}
inline const core::WrittenDimSharding &toCore(DimensionShardingAttr attr) {
  return attr.getDim();
}
/// The sharding as written, without its mesh.
inline const core::WrittenSharding &toCore(TensorShardingAttr attr) {
  return attr.getSharding();
}
inline const core::ShardingRule &toCore(OpShardingRuleAttr attr) {
  return attr.getRule();
}
core::DimMapping toCore(DimMappingAttr attr);
core::TensorMapping toCore(TensorMappingAttr attr);
core::ReductionKind toCore(ReductionKind kind);

// Core value to attribute.
MeshAttr toAttr(mlir::MLIRContext *context, core::Mesh mesh);
DimMappingAttr toAttr(mlir::MLIRContext *context, const core::DimMapping &mapping);
TensorMappingAttr toAttr(mlir::MLIRContext *context, const core::TensorMapping &mapping);
OpShardingRuleAttr toAttr(mlir::MLIRContext *context, core::ShardingRule rule);
ReductionKind toAttrKind(core::ReductionKind kind);
/// `meshOrRef` is a flat symbol or a mesh attribute.
TensorShardingAttr toAttr(mlir::Attribute meshOrRef, core::WrittenSharding sharding);
/// `mesh` is what `meshOrRef` stands for.
TensorShardingAttr toAttr(mlir::Attribute meshOrRef, const core::Sharding &sharding,
                          const core::Mesh &mesh);

/// Looks the axes of `sharding` up in `mesh`. Fails, with an error, if they break a rule: see
/// `core::resolve`.
mlir::FailureOr<core::Sharding> resolve(TensorShardingAttr sharding, MeshAttr mesh,
                                        EmitError emitError,
                                        std::optional<int64_t> rank = std::nullopt);
/// Looks up a sharding that the verifier has accepted.
core::Sharding resolveVerified(TensorShardingAttr sharding, MeshAttr mesh);

/// Returns the sharding of rank `rank` without axes: every dimension open, or closed.
TensorShardingAttr getOpenSharding(mlir::Attribute meshOrRef, int64_t rank);
TensorShardingAttr getReplicatedSharding(mlir::Attribute meshOrRef, int64_t rank);

/// Equivalence of placements where the mesh reference counts as written: same axes in every
/// dimension and the same unreduced axes; openness, priorities, replicated axes and the reduction
/// kind do not matter. A null `b` is a sharding without axes, and meshes do not matter if `a` has
/// no axes.
enum class UnreducedAxes { Compare, Ignore };
bool isEquivalent(TensorShardingAttr a, TensorShardingAttr b,
                  UnreducedAxes unreduced = UnreducedAxes::Compare);

} // namespace shardwise::sdy
