// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Module snapshots. The file is written beside its final name and renamed, so a reader never sees
// half of it.

#include "shardwise/transforms/propagate/ModuleDump.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace shardwise::propagate {

mlir::LogicalResult dumpModule(mlir::ModuleOp module, llvm::StringRef directory, int number,
                               llvm::StringRef name) {
  if (directory.empty())
    return mlir::success();
  llvm::SmallString<128> path(directory);
  std::error_code error = llvm::sys::fs::create_directories(directory);
  std::string twoDigits = (number < 10 ? "0" : "") + std::to_string(number);
  llvm::sys::path::append(path, twoDigits + "." + name + ".mlir");
  llvm::SmallString<128> temporary(path);
  temporary += ".tmp";
  if (!error) {
    llvm::raw_fd_ostream stream(temporary, error);
    if (!error) {
      module.print(stream);
      stream.close();
      error = stream.error();
      stream.clear_error();
    }
  }
  if (!error)
    error = llvm::sys::fs::rename(temporary, path);
  if (error)
    return module.emitError() << "cannot write \"" << path << "\": " << error.message();
  return mlir::success();
}

} // namespace shardwise::propagate
