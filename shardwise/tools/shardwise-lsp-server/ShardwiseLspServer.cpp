// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shardwise-lsp-server: MLIR's language server with the dialects of Shardwise, shardings on
// hovering, and completion of mesh and axis names. Speaks the Language Server Protocol on standard
// input and output.

#include "shardwise/driver/Registration.h"
#include "shardwise/driver/TextLimits.h"
#include "shardwise/tools/OutOfMemory.h"
#include "shardwise/tools/shardwise-lsp-server/LspRelay.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdio>
#include <thread>
#include <unistd.h>

using namespace shardwise;

namespace {

/// Whether the server will speak messages with headers: not when it prints help, or reads the
/// delimited messages of its own tests.
bool speaksFrames(llvm::ArrayRef<char *> arguments) {
  return llvm::all_of(arguments, [](llvm::StringRef argument) {
    argument = argument.ltrim('-');
    return argument.starts_with("log=") || argument == "pretty";
  });
}

/// Runs the stock server on pipes in place of standard input and output, and relays between
/// them and the editor.
int runRelayed(int argc, char **argv, mlir::DialectRegistry &registry) {
  std::signal(SIGPIPE, SIG_IGN); // a closed pipe shows as a failed write
  int toServer[2], fromServer[2];
  int fromEditor = ::dup(STDIN_FILENO), toEditor = ::dup(STDOUT_FILENO);
  if (fromEditor < 0 || toEditor < 0 || ::pipe(toServer) || ::pipe(fromServer) ||
      ::dup2(toServer[0], STDIN_FILENO) < 0 || ::dup2(fromServer[1], STDOUT_FILENO) < 0) {
    std::perror("shardwise-lsp-server: cannot make pipes");
    return 1;
  }
  ::close(toServer[0]);
  ::close(fromServer[1]);

  // The stock server reads and writes standard input and output, and knows no other way. These now
  // lead to the relay:
  //
  //     editor -> fromEditor [requests] toServer ---> stdin, the server
  //     editor <- toEditor   [replies]  fromServer <- stdout
  //
  // Whoever ends first closes its pipe, which the next one sees as the end of its input.
  tools::LspRelay relay(registry);
  std::thread requests([&] {
    relay.relayRequests(fromEditor, toServer[1], toEditor);
    ::close(toServer[1]);
  });
  std::thread replies([&] { relay.relayReplies(fromServer[0], toEditor); });
  bool isOk = succeeded(mlir::MlirLspServerMain(argc, argv, registry));
  llvm::outs().flush();
  ::close(STDOUT_FILENO);
  replies.join();
  // The server ended first if its input is still open: the thread may be waiting for the editor
  // forever, and its stack is about to go.
  ::close(STDIN_FILENO);
  requests.detach();
  std::_Exit(isOk ? 0 : 1);
}

} // namespace

int main(int argc, char **argv) {
  tools::endWhenMemoryRunsOut("shardwise-lsp-server");
  mlir::DialectRegistry registry;
  driver::registerDialects(registry);
  bool isRelayed = speaksFrames(llvm::ArrayRef(argv + 1, argc - 1));
  int exitCode = 1;
  driver::runOnDeepStack([&] {
    exitCode = isRelayed ? runRelayed(argc, argv, registry)
                         : failed(mlir::MlirLspServerMain(argc, argv, registry));
  });
  return exitCode;
}
