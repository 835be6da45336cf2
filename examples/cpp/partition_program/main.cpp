// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a program and prints what every device runs: partition_program MODEL.mlir

#include <shardwise/driver/Compile.h>
#include <shardwise/driver/LoadProgram.h>
#include <shardwise/driver/Registration.h>

#include <mlir/IR/Diagnostics.h>
#include <mlir/IR/MLIRContext.h>

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: partition_program MODEL.mlir\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  shardwise::driver::registerDialects(registry);
  mlir::MLIRContext context(registry);
  llvm::SourceMgr source;
  mlir::SourceMgrDiagnosticHandler diagnostics(source, &context);

  auto module = shardwise::driver::loadProgram(argv[1], context, source);
  if (failed(module) || failed(shardwise::driver::partition(**module)))
    return 1;
  (*module)->print(llvm::outs());
  return 0;
}
