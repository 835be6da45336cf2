// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a global program to an executable: check, propagate, partition, compile for one device.
// The checks look at the program as the user wrote it, all other steps change it. `compile` works
// on a copy, since whoever runs the executable still needs the program itself: to evaluate it
// unpartitioned, and for global types and names of results, which the partitioned program does not
// have.

#include "shardwise/driver/Compile.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/driver/ArgumentClasses.h"
#include "shardwise/driver/HostTypes.h"
#include "shardwise/explain/JaxNames.h"
#include "shardwise/explain/WrittenCollectives.h"
#include "shardwise/transforms/Pipelines.h"
#include "shardwise/transforms/import/CheckProgram.h"
#include "shardwise/transforms/import/WrittenShardings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

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

LogicalResult runPartition(ModuleOp module, const CompileOptions &options,
                           transforms::OutputForm form) {
  if (failed(runPropagation(module, options)))
    return failure();
  options.onStage("partitioning");
  return transforms::runPartitionPipeline(module, form, options.choices);
}

/// What only the global program knows of its border.
struct GlobalBorder {
  SmallVector<Type> argumentTypes, resultTypes;
  SmallVector<std::string> argumentNames, resultNames;
  Location location;

  explicit GlobalBorder(func::FuncOp entry)
      : argumentTypes(entry.getArgumentTypes()), resultTypes(entry.getResultTypes()),
        location(entry.getLoc()) {
    for (BlockArgument argument : entry.getArguments())
      argumentNames.push_back(explain::jaxNameIn(argument.getLoc()).str());
    for (unsigned i = 0; i < resultTypes.size(); ++i)
      resultNames.push_back(explain::resultName(entry, i));
  }
};

/// Values with their types before, and their shardings after partition.
FailureOr<std::vector<ShardedValue>>
shardedValues(ArrayRef<Type> globalTypes, ArrayRef<std::string> names,
              ArrayRef<sdy::TensorShardingAttr> shardings, const SymbolTable &symbols,
              const core::Mesh &programMesh, Location location) {
  std::vector<ShardedValue> values;
  for (auto [type, name, attr] : llvm::zip_equal(globalTypes, names, shardings)) {
    auto hostType = hostTypeOf(type);
    if (!hostType) {
      emitError(location) << hostType.error().message;
      return failure();
    }
    int64_t rank = static_cast<int64_t>(hostType->shape.size());
    sdy::MeshAttr mesh = attr ? sdy::getMesh(attr, symbols) : sdy::MeshAttr();
    values.push_back({hostType->shape, hostType->type,
                      mesh ? sdy::resolveVerified(attr, mesh) : core::replicatedSharding(rank),
                      mesh && !mesh.isEmpty() ? sdy::toCore(mesh) : programMesh, name});
  }
  return values;
}

/// The border of the program that `local` is for one device of `mesh`.
FailureOr<ProgramBorder> borderOf(ModuleOp local, const GlobalBorder &global,
                                  const core::Mesh &mesh) {
  func::FuncOp entry = stablehlo::entryFunctionOrNull(local);
  SymbolTable symbols(local);
  auto arguments = shardedValues(global.argumentTypes, global.argumentNames,
                                 sdy::getFuncArgShardings(entry), symbols, mesh, global.location);
  auto results = shardedValues(global.resultTypes, global.resultNames,
                               sdy::getFuncResultShardings(entry), symbols, mesh, global.location);
  if (failed(arguments) || failed(results))
    return failure();
  return ProgramBorder{mesh, std::move(*arguments), std::move(*results)};
}

} // namespace

LogicalResult propagate(ModuleOp module, const CompileOptions &options) {
  if (failed(checkProgram(module, options)) || failed(runPropagation(module, options)))
    return failure();
  importer::removeWrittenMarks(module);
  return verify(module);
}

LogicalResult partition(ModuleOp module, const CompileOptions &options, transforms::OutputForm form,
                        ProgramBorder *border) {
  auto mesh = checkProgram(module, options);
  if (failed(mesh))
    return failure();
  std::optional<GlobalBorder> global;
  if (border)
    global.emplace(stablehlo::entryFunctionOrNull(module));
  if (failed(runPartition(module, options, form)))
    return failure();
  if (border) {
    // Devices have the numbers of their positions there.
    if (form == transforms::OutputForm::XlaShardMap && !mesh->isMaximal())
      mesh = core::Mesh::create(mesh->axes()).value();
    auto found = borderOf(module, *global, *mesh);
    if (failed(found))
      return failure();
    *border = std::move(*found);
  }
  return transforms::runBorderPipeline(module, form);
}

FailureOr<Executable> compile(ModuleOp module, const CompileOptions &options) {
  // Global types are read off `module`, shardings off the partitioned `local`.
  auto mesh = checkProgram(module, options);
  if (failed(mesh))
    return failure();
  GlobalBorder global(stablehlo::entryFunctionOrNull(module));
  OwningOpRef<ModuleOp> local =
      options.perDevice ? options.perDevice.get().clone() : module.clone();
  if (!options.perDevice && failed(runPartition(*local, options, transforms::OutputForm::Run)))
    return failure();
  auto border = borderOf(*local, global, *mesh);
  if (failed(border))
    return failure();

  options.onStage("compiling for one device");
  execute::Sharing sharing;
  if (options.leastSharedBytes)
    sharing = {argumentClasses(*border), *options.leastSharedBytes};
  auto program = execute::compile(*local, sharing);
  if (failed(program))
    return failure();
  return Executable{std::move(*border), std::move(*program), explain::permuteAxes(*local, *mesh)};
}

} // namespace shardwise::driver
