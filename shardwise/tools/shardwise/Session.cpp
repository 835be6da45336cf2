// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Context, diagnostics and progress of a subcommand. The progress line has no line break: whoever
// writes to the terminal clears it first, or its own text would stand behind half a stage.

#include "shardwise/tools/shardwise/Session.h"

#include "shardwise/driver/LoadProgram.h"
#include "shardwise/driver/Registration.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <cstdio>

using namespace mlir;

namespace shardwise::tools {

Progress::Progress() : isTerminal(llvm::sys::Process::StandardErrIsDisplayed()) {}

void Progress::show(StringRef stage) {
  if (!isTerminal)
    return;
  fmt::print(stderr, "\r\x1b[K{} ...", stage.str());
  std::fflush(stderr);
  isShown = true;
}

void Progress::clear() {
  if (!isShown)
    return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  isShown = false;
}

namespace {

DialectRegistry makeRegistry() {
  DialectRegistry registry;
  driver::registerDialects(registry);
  return registry;
}

} // namespace

// One program at a time: a thread pool would cost more than it brings.
Session::Session(llvm::raw_ostream &errors)
    : errors(errors), context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  diagnostics = std::make_unique<driver::ProgramDiagnostics>(sourceManager, &context, errors);
}

Session::~Session() = default;

FailureOr<ModuleOp> Session::load(const std::string &path, AsmParserState *written) {
  progress.show("reading " + path);
  diagnostics->setProgram(path);
  auto loaded = driver::loadProgram(path, context, sourceManager, written);
  progress.clear();
  if (failed(loaded))
    return failure();
  module = std::move(*loaded);
  return *module;
}

transforms::StageListener Session::stageListener() {
  return [this](StringRef stage) {
    if (stage.empty())
      progress.clear();
    else
      progress.show(stage);
  };
}

driver::CompileOptions Session::compileOptions() {
  driver::CompileOptions options;
  options.onStage = stageListener();
  return options;
}

int Session::report(const Error &error) {
  progress.clear();
  errors << "shardwise: error: " << error.message << "\n";
  return error.kind == ErrorKind::Internal ? kInternalError : kUserError;
}

} // namespace shardwise::tools
