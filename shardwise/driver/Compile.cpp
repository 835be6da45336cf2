// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a global program to an executable: check, propagate, partition, compile for one device.
// The checks look at the program as the user wrote it, all other steps change it. `compile` works
// on a copy, since whoever runs the executable still needs the program itself: to evaluate it
// unpartitioned, and for global types and names of results, which the partitioned program does not
// have.

#include "shardwise/driver/Compile.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/driver/HostTypes.h"
#include "shardwise/explain/JaxNames.h"
#include "shardwise/explain/WrittenCollectives.h"
#include "shardwise/transforms/Pipelines.h"
#include "shardwise/transforms/import/CheckProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwise::driver {
namespace {

/// Checks that come before any change, so that complaints show the program as it was written.
FailureOr<core::Mesh> checkProgram(ModuleOp module, const CompileOptions &options) {
  options.onStage("checking");
  if (failed(importer::checkShardingForm(module)))
    return failure();
  auto mesh = importer::programMesh(module, options.maxDevices);
  if (failed(mesh) || failed(importer::checkEvenShardings(module)))
    return failure();
  return mesh;
}

LogicalResult runPropagation(ModuleOp module, const CompileOptions &options) {
  if (options.propagated) {
    OwningOpRef<ModuleOp> copy = options.propagated.get().clone();
    module->setDiscardableAttrs(copy.get()->getDiscardableAttrDictionary());
    module.getBodyRegion().takeBody(copy->getBodyRegion());
    return success();
  }
  options.onStage("propagating shardings");
  return transforms::runPropagationPipeline(module);
}

LogicalResult runPartition(ModuleOp module, const CompileOptions &options) {
  if (failed(runPropagation(module, options)))
    return failure();
  options.onStage("partitioning");
  return transforms::runPartitionPipeline(module);
}

/// The values of an entry function with their types before, and their shardings after partition.
FailureOr<std::vector<ShardedValue>>
shardedValues(ArrayRef<Type> globalTypes, ArrayRef<sdy::TensorShardingAttr> shardings,
              const SymbolTable &symbols, const core::Mesh &programMesh, Location location) {
  std::vector<ShardedValue> values;
  for (auto [type, attr] : llvm::zip_equal(globalTypes, shardings)) {
    auto hostType = hostTypeOf(type);
    if (!hostType) {
      emitError(location) << hostType.error().message;
      return failure();
    }
    int64_t rank = static_cast<int64_t>(hostType->shape.size());
    sdy::MeshAttr mesh = attr ? sdy::getMesh(attr, symbols) : sdy::MeshAttr();
    values.push_back({hostType->shape, hostType->type,
                      mesh ? sdy::resolveVerified(attr, mesh) : core::replicatedSharding(rank),
                      mesh && !mesh.isEmpty() ? sdy::toCore(mesh) : programMesh, ""});
  }
  return values;
}

} // namespace

LogicalResult propagate(ModuleOp module, const CompileOptions &options) {
  return success(succeeded(checkProgram(module, options)) &&
                 succeeded(runPropagation(module, options)));
}

LogicalResult partition(ModuleOp module, const CompileOptions &options) {
  return success(succeeded(checkProgram(module, options)) &&
                 succeeded(runPartition(module, options)));
}

FailureOr<Executable> compile(ModuleOp module, const CompileOptions &options) {
  // Global types are read off `module`, shardings off the partitioned `local`.
  auto mesh = checkProgram(module, options);
  if (failed(mesh))
    return failure();
  func::FuncOp entry = stablehlo::entryFunctionOrNull(module);
  OwningOpRef<ModuleOp> local = module.clone();
  if (failed(runPartition(*local, options)))
    return failure();

  func::FuncOp localEntry = stablehlo::entryFunctionOrNull(*local);
  SmallVector<sdy::TensorShardingAttr> argumentShardings;
  SmallVector<sdy::TensorShardingAttr> resultShardings;
  for (unsigned i = 0; i < localEntry.getNumArguments(); ++i)
    argumentShardings.push_back(sdy::getFuncArgSharding(localEntry, i));
  for (unsigned i = 0; i < localEntry.getNumResults(); ++i)
    resultShardings.push_back(sdy::getFuncResultSharding(localEntry, i));
  SymbolTable symbols(*local);
  auto arguments =
      shardedValues(entry.getArgumentTypes(), argumentShardings, symbols, *mesh, entry.getLoc());
  auto results =
      shardedValues(entry.getResultTypes(), resultShardings, symbols, *mesh, entry.getLoc());
  if (failed(arguments) || failed(results))
    return failure();
  for (auto [i, result] : llvm::enumerate(*results))
    result.name = explain::resultName(entry, i);

  options.onStage("compiling for one device");
  auto program = execute::compile(*local);
  if (failed(program))
    return failure();
  return Executable{*mesh, std::move(*arguments), std::move(*results), std::move(*program),
                    explain::permuteAxes(*local, *mesh)};
}

FailureOr<int64_t> unpartitionedPeakBytes(ModuleOp module) {
  auto program = execute::compile(module);
  if (failed(program))
    return failure();
  return program->peakBytes();
}

} // namespace shardwise::driver
