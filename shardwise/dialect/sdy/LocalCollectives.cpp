// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What makes a collective local, and the checks of fetches, which always are.

#include "shardwise/dialect/sdy/LocalCollectives.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingChecks.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <functional>

using namespace mlir;

namespace shardwise::sdy {

bool isLocalCollective(Operation *op) {
  return isa<FetchIntervalOp>(op) ||
         (isa<CollectiveOpInterface, ReshardOp>(op) && op->hasAttr(kInShardingAttr));
}

TensorShardingAttr getInSharding(Operation *op) {
  if (auto fetch = dyn_cast<FetchIntervalOp>(op))
    return fetch.getInSharding();
  if (auto own = op->getAttrOfType<TensorShardingAttr>(kInShardingAttr))
    return own;
  return getSharding(op->getOperand(0));
}

RankedTensorType getGlobalType(Operation *op, ArrayRef<int64_t> blocks) {
  if (Attribute written = op->getAttr(kGlobalTypeAttr)) {
    auto type = dyn_cast<TypeAttr>(written);
    return type ? dyn_cast<RankedTensorType>(type.getValue()) : RankedTensorType();
  }
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  SmallVector<int64_t> shape;
  for (auto [size, count] : llvm::zip_equal(type.getShape(), blocks))
    shape.push_back(size * count);
  return type.clone(shape);
}

LocalTransition localTransition(Operation *op) {
  TensorShardingAttr in = getInSharding(op);
  TensorShardingAttr out = cast<CollectiveOpInterface>(op).getOutSharding();
  MeshAttr mesh = getMesh(in, op), meshAfter = getMesh(out, op);
  LocalTransition sides;
  sides.mesh = toCore(mesh);
  sides.meshAfter = toCore(meshAfter);
  sides.before = resolveVerified(in, mesh);
  sides.after = resolveVerified(out, meshAfter);
  SmallVector<int64_t> blocks;
  for (const core::DimSharding &dim : sides.before.dims)
    blocks.push_back(core::shardedSize(dim.axes));
  sides.shape = core::Shape(getGlobalType(op, blocks).getShape());
  return sides;
}

LogicalResult verifyInSharding(Operation *op) {
  Attribute attribute = op->getAttr(kInShardingAttr);
  if (!attribute)
    return success();
  auto sharding = dyn_cast<TensorShardingAttr>(attribute);
  if (!sharding)
    return op->emitOpError() << kInShardingAttr << " must be a sharding, but is " << attribute;
  return verifySharding(sharding, op->getOperand(0).getType(), op, MeshFinder(op),
                        [&] { return op->emitOpError() << kInShardingAttr << ": "; });
}

//===----------------------------------------------------------------------===//
// Fetches
//===----------------------------------------------------------------------===//

/// Dimensions with a start and a step each, and the types that they leave.
static LogicalResult verifyFetchedDims(FetchIntervalOp op) {
  ArrayRef<int64_t> dims = op.getDims();
  auto from = cast<RankedTensorType>(op.getTensor().getType());
  auto to = cast<RankedTensorType>(op.getResult().getType());
  bool isAscending = std::ranges::adjacent_find(dims, std::greater_equal<>()) == dims.end();
  if (dims.empty() || !isAscending || dims.front() < 0 || dims.back() >= from.getRank())
    return op.emitOpError() << "needs ascending dimensions of " << from << ", but has [" << dims
                            << "]";
  for (int64_t dim : dims)
    if (from.getDimSize(dim) == 0)
      return op.emitOpError() << "fetches along dimension " << dim << " of " << from
                              << ", which has no elements";
  if (op.getStarts().size() != dims.size() || op.getSteps().size() != dims.size())
    return op.emitOpError() << "needs a start and a step for each of " << dims.size()
                            << " dimensions, but has " << op.getStarts().size() << " and "
                            << op.getSteps().size();
  if (std::optional<ArrayRef<int64_t>> divisors = op.getDivisors())
    if (divisors->size() != dims.size() ||
        !llvm::all_of(*divisors, [](int64_t divisor) { return divisor >= 1; }))
      return op.emitOpError() << "needs a positive divisor for each of " << dims.size()
                              << " dimensions, but has [" << *divisors << "]";
  SmallVector<int64_t> shape(from.getShape());
  for (int64_t dim : dims)
    shape[dim] = to.getRank() == from.getRank() ? std::max<int64_t>(1, to.getDimSize(dim)) : 1;
  if (to != from.clone(shape))
    return op.emitOpError() << "gives " << to << ", but may change the sizes of dimensions ["
                            << dims << "] of " << from << " only, to at least 1";
  auto scalar = from.clone(ArrayRef<int64_t>());
  if (op.getOutside() && op.getOutside().getType() != scalar)
    return op.emitOpError() << "has " << op.getOutside().getType()
                            << " outside of the dimension, but needs " << scalar;
  return success();
}

/// So that sums of several do not overflow.
static bool isPlace(int64_t number) {
  constexpr int64_t kEnd = int64_t(1) << 60;
  return -kEnd < number && number < kEnd;
}

LogicalResult FetchIntervalOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto emitError = [&] { return emitOpError(); };
  MeshFinder finder(*this, &tables);
  if (failed(verifyFetchedDims(*this)) ||
      failed(verifySharding(getInSharding(), getTensor().getType(), *this, finder, emitError)))
    return failure();
  FailureOr<MeshAttr> mesh = findMesh(getInSharding(), finder, emitError);
  if (failed(mesh))
    return failure();
  FailureOr<core::Sharding> sharding = resolve(getInSharding(), *mesh, emitError);
  if (failed(sharding))
    return failure();
  auto to = cast<RankedTensorType>(getResult().getType());
  for (auto [dim, start, step] : llvm::zip_equal(getDims(), getStarts(), getSteps())) {
    int64_t blocks = core::shardedSize(sharding->dims[dim].axes);
    if (blocks <= 1)
      return emitOpError() << "fetches along dimension " << dim
                           << ", which in_sharding does not cut";
    int64_t way = 0;
    bool isFar = llvm::MulOverflow(step, blocks, way) || !isPlace(way) || !isPlace(start) ||
                 !isPlace(to.getDimSize(dim));
    if (isFar)
      return emitOpError() << "reads " << to.getDimSize(dim) << " elements of dimension " << dim
                           << " from " << start << " on in " << blocks << " steps of " << step
                           << "; places must be within 2^60";
  }
  return success();
}

} // namespace shardwise::sdy
