// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between attributes and core values. Most attributes hold a core value, so that there
// is nothing to convert; the mappings of rules hold attributes, which can stand alone in text.

#include "shardwise/dialect/sdy/CoreBridge.h"

#include <algorithm>
#include <cassert>

using namespace mlir;

namespace shardwise::sdy {

namespace {

// The two enumerations are declared in the same order; attributes store the number.
static_assert(static_cast<int>(ReductionKind::Sum) == static_cast<int>(core::ReductionKind::Sum));
static_assert(static_cast<int>(ReductionKind::Max) == static_cast<int>(core::ReductionKind::Max));
static_assert(static_cast<int>(ReductionKind::Min) == static_cast<int>(core::ReductionKind::Min));

TensorShardingAttr emptySharding(Attribute meshOrRef, int64_t rank, bool isClosed) {
  core::WrittenSharding sharding;
  sharding.dims.resize(rank);
  for (core::WrittenDimSharding &dim : sharding.dims)
    dim.isClosed = isClosed;
  return toAttr(meshOrRef, std::move(sharding));
}

bool hasNoPlacement(TensorShardingAttr sharding, UnreducedAxes unreduced) {
  return sharding.isFullyReplicated() &&
         (unreduced == UnreducedAxes::Ignore || toCore(sharding).unreduced.empty());
}

} // namespace

core::DimMapping toCore(DimMappingAttr attr) {
  return {attr.getFactors().begin(), attr.getFactors().end()};
}

core::TensorMapping toCore(TensorMappingAttr attr) {
  core::TensorMapping mapping;
  for (DimMappingAttr dim : attr.getDims())
    mapping.push_back(toCore(dim));
  return mapping;
}

core::ReductionKind toCore(ReductionKind kind) {
  return static_cast<core::ReductionKind>(kind);
}
ReductionKind toAttrKind(core::ReductionKind kind) {
  assert(kind <= core::ReductionKind::Min && "sdy writes sum, max and min only");
  return static_cast<ReductionKind>(kind);
}

MeshAttr toAttr(MLIRContext *context, core::Mesh mesh) {
  return MeshAttr::get(context, std::move(mesh));
}

DimMappingAttr toAttr(MLIRContext *context, const core::DimMapping &mapping) {
  return DimMappingAttr::get(context, mapping);
}

TensorMappingAttr toAttr(MLIRContext *context, const core::TensorMapping &mapping) {
  SmallVector<DimMappingAttr> dims;
  for (const core::DimMapping &dim : mapping)
    dims.push_back(toAttr(context, dim));
  return TensorMappingAttr::get(context, dims);
}

OpShardingRuleAttr toAttr(MLIRContext *context, core::ShardingRule rule) {
  return OpShardingRuleAttr::get(context, std::move(rule));
}

TensorShardingAttr toAttr(Attribute meshOrRef, core::WrittenSharding sharding) {
  return TensorShardingAttr::get(meshOrRef.getContext(), meshOrRef, std::move(sharding));
}

TensorShardingAttr toAttr(Attribute meshOrRef, const core::Sharding &sharding,
                          const core::Mesh &mesh) {
  return toAttr(meshOrRef, core::toWritten(sharding, mesh));
}

FailureOr<core::Sharding> resolve(TensorShardingAttr sharding, MeshAttr mesh, EmitError emitError,
                                  std::optional<int64_t> rank) {
  Result<core::Sharding> resolved = core::resolve(toCore(sharding), toCore(mesh), rank);
  if (resolved)
    return std::move(*resolved);
  emitError() << resolved.error().message;
  return failure();
}

core::Sharding resolveVerified(TensorShardingAttr sharding, MeshAttr mesh) {
  Result<core::Sharding> resolved = core::resolve(toCore(sharding), toCore(mesh));
  assert(resolved.ok() && "the verifier accepts no sharding that cannot be resolved");
  return std::move(*resolved);
}

TensorShardingAttr getOpenSharding(Attribute meshOrRef, int64_t rank) {
  return emptySharding(meshOrRef, rank, /*isClosed=*/false);
}

TensorShardingAttr getReplicatedSharding(Attribute meshOrRef, int64_t rank) {
  return emptySharding(meshOrRef, rank, /*isClosed=*/true);
}

bool isEquivalent(TensorShardingAttr a, TensorShardingAttr b, UnreducedAxes unreduced) {
  // No axes are the same on every mesh.
  if (hasNoPlacement(a, unreduced))
    return !b || hasNoPlacement(b, unreduced);
  if (!b || a.getMeshOrRef() != b.getMeshOrRef())
    return false;
  const core::WrittenSharding &left = toCore(a);
  const core::WrittenSharding &right = toCore(b);
  auto sameAxes = [](const core::WrittenDimSharding &x, const core::WrittenDimSharding &y) {
    return x.axes == y.axes;
  };
  return (unreduced == UnreducedAxes::Ignore || left.unreduced == right.unreduced) &&
         std::equal(left.dims.begin(), left.dims.end(), right.dims.begin(), right.dims.end(),
                    sameAxes);
}

} // namespace shardwise::sdy
