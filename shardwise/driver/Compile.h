// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a global program with a few annotations to an executable for every device of its mesh.

#pragma once

#include "shardwise/driver/ProgramBorder.h"
#include "shardwise/execute/Program.h"
#include "shardwise/transforms/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

#include <optional>
#include <string>

namespace shardwise::driver {

/// What compiling may use, and who is told of its stages.
struct CompileOptions {
  /// Bounds the devices of the mesh.
  std::optional<int64_t> maxDevices;
  transforms::PartitionChoices choices = {};
  transforms::StageListener onStage = [](llvm::StringRef) {};
  /// The program after propagation, if somebody has it already: the program itself is then only
  /// checked, and compiling goes on with a copy of this.
  mlir::OwningOpRef<mlir::ModuleOp> propagated = {};
  /// The per-device program, if somebody has it already: a result of `partition`, changed or not.
  /// `compile` takes it as it is; global types and names are still those of the program itself.
  mlir::OwningOpRef<mlir::ModuleOp> perDevice = {};
  /// Work that devices of one process would do alike is done once from this many bytes on; none:
  /// every device does its own.
  std::optional<int64_t> leastSharedBytes = execute::Sharing().leastBytes;
};

/// A program ready to run on every device of its mesh. Immutable; devices share it.
struct Executable : ProgramBorder {
  execute::Program program;
  /// Along which axes its permutes move values (WrittenCollectives.h); empty if it has none.
  std::string permuteAxes;
};

/// Decides the sharding of every tensor: the program stays global, every sharding is closed and
/// explicit. Fails with a diagnostic.
llvm::LogicalResult propagate(mlir::ModuleOp module, const CompileOptions &options = {});

/// Rewrites a global program, propagated or not, to the per-device program in `form`. Fills
/// `border`, if it is not null. Fails with a diagnostic.
llvm::LogicalResult partition(mlir::ModuleOp module, const CompileOptions &options = {},
                              transforms::OutputForm form = transforms::OutputForm::Stablehlo,
                              ProgramBorder *border = nullptr);

/// Compiles a copy of `module`; `module` is left as it is. Fails with a diagnostic.
llvm::FailureOr<Executable> compile(mlir::ModuleOp module, const CompileOptions &options = {});

} // namespace shardwise::driver
