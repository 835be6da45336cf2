// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A report on such a program would be all zeros, and look like the best there is.

#include "shardwise/explain/ProgramForm.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/ShardingPlaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardwise::explain {
namespace {

constexpr const char *kHowToShard =
    "give jax.jit shardings (in_shardings=NamedSharding(mesh, P(\"data\")), "
    "jax.lax.with_sharding_constraint) and export again, or write sdy.sharding into the program";

bool hasSharding(ModuleOp module) {
  bool isFound = false;
  module.walk([&](Operation *op) {
    sdy::forEachShardingOf(op, [&](const sdy::ShardingPlace &) { isFound = true; });
    return isFound ? WalkResult::interrupt() : WalkResult::advance();
  });
  return isFound;
}

/// A sharding of the partitioner before Shardy that cuts something; null if there is none.
StringAttr oldSharding(ModuleOp module) {
  StringAttr found;
  auto look = [&](DictionaryAttr attributes) {
    auto sharding = attributes ? attributes.getAs<StringAttr>("mhlo.sharding") : StringAttr();
    if (sharding && sharding.getValue().contains("devices="))
      found = sharding;
  };
  module.walk([&](Operation *op) {
    look(op->getDiscardableAttrDictionary());
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        look(function.getArgAttrDict(i));
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        look(function.getResultAttrDict(i));
    }
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

} // namespace

void noteForm(ModuleOp module, Explanation &explanation) {
  int64_t numDevices = explanation.mesh.numDevices();
  auto note = [&](NoteCode code, std::string text) {
    explanation.notes.push_back({code, Place(), std::move(text)});
  };
  auto partitions = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
  auto replicas = module->getAttrOfType<IntegerAttr>("mhlo.num_replicas");
  int64_t meant = (partitions ? partitions.getInt() : 1) * (replicas ? replicas.getInt() : 1);
  if (explanation.mesh.axes().empty() && !explanation.mesh.isMaximal()) {
    std::string forDevices =
        meant > 1 ? fmt::format(", though mhlo.num_partitions says {} devices", meant) : "";
    note(NoteCode::NoMesh,
         fmt::format("the program has no mesh and no sharding, so this is what one "
                     "device does with all of it{}; {}",
                     forDevices, kHowToShard));
  } else if (meant > 1 && meant != numDevices) {
    note(
        NoteCode::NumPartitions,
        fmt::format("mhlo.num_partitions says {} devices, but the mesh has {}, and this is what {} "
                    "devices do; export with the mesh that the program is to run on",
                    meant, numDevices, numDevices));
  }
  if (numDevices > 1 && !hasSharding(module))
    note(NoteCode::NoShardings,
         fmt::format("the program has a mesh, but no sharding: each of the {} devices does all; {}",
                     numDevices, kHowToShard));
  if (StringAttr old = oldSharding(module))
    note(NoteCode::OldSharding,
         fmt::format("mhlo.sharding = \"{}\" is of the partitioner before Shardy and is not read, "
                     "here or elsewhere in the program; export all of it with Shardy "
                     "(jax.config.update(\"jax_use_shardy_partitioner\", True))",
                     old.getValue().str()));
}

} // namespace shardwise::explain
