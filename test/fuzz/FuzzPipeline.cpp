// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: what `shardwise explain` and `shardwise run` do with a program. Whatever the text
// is, it is refused with a diagnostic or it is compiled; small programs run, too. Inputs change by
// tokens and lines (TextMutation.h) or by ops and shardings (ProgramMutation.h).
//
// Two environment variables are for reading results: SHARDWISE_FUZZ_REFUSALS names a folder that
// gets a program for each kind of diagnostic that comes after a program was accepted;
// SHARDWISE_FUZZ_VALUES makes outputs that differ from the unpartitioned program a failure.

#include "ProgramMutation.h"
#include "TextMutation.h"

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/driver/HostTypes.h"
#include "shardwise/driver/LoadProgram.h"
#include "shardwise/driver/RandomInputs.h"
#include "shardwise/driver/Registration.h"
#include "shardwise/driver/RunProgram.h"
#include "shardwise/explain/Explain.h"
#include "shardwise/explain/Reports.h"
#include "shardwise/transforms/import/CheckProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

using namespace shardwise;

namespace {

/// Attributes live as long as their context: a new one every so often bounds the memory.
constexpr int kInputsPerContext = 500;
/// Programs with more devices, or with more elements in all, are compiled and not run.
constexpr int64_t kMostDevicesRun = 16;
constexpr int64_t kMostElementsRun = 1 << 16;
constexpr int64_t kMostIterations = 20;
/// More than the tests have: compiling for more devices than this is another matter.
constexpr int64_t kMostDevices = 1 << 20;

/// The program in use.
llvm::StringRef current;
/// Whether it was accepted: from here on, diagnostics are of interest.
bool isAccepted = false;

/// Writes the program with the diagnostic in front, if no such file is there. Diagnostics that
/// differ in numbers and names only are one.
void noteRefusal(const std::string &message) {
  const char *folder = std::getenv("SHARDWISE_FUZZ_REFUSALS");
  if (!folder || !isAccepted)
    return;
  std::string kind;
  bool isQuoted = false;
  for (char c : llvm::StringRef(message).take_front(160)) {
    isQuoted ^= c == '"' || c == '%' || c == '@';
    if (!isQuoted && (std::isalpha(static_cast<unsigned char>(c)) || c == '.'))
      kind += c;
  }
  std::string path = std::string(folder) + "/" + kind.substr(0, 50) + ".mlir";
  if (std::FILE *file = std::fopen(path.c_str(), "wx")) {
    std::fprintf(file, "// %s\n%s\n", message.c_str(), current.str().c_str());
    std::fclose(file);
  }
}

mlir::MLIRContext &freshEnoughContext() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static int numInputs = 0;
  if (!context || ++numInputs % kInputsPerContext == 0) {
    mlir::DialectRegistry registry;
    driver::registerDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    context->printOpOnDiagnostic(false);
    context->getDiagEngine().registerHandler([](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
        noteRefusal(diagnostic.str());
      return mlir::success();
    });
  }
  return *context;
}

/// Elements of all tensors in the program, or more than the limit.
int64_t countElements(mlir::ModuleOp module) {
  int64_t total = 0;
  auto add = [&](mlir::Type type) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor)
      return;
    int64_t size = 1;
    for (int64_t dim : tensor.getShape())
      size = std::min(size * std::clamp<int64_t>(dim, 0, kMostElementsRun), kMostElementsRun);
    total += size;
  };
  module.walk([&](mlir::Operation *op) {
    llvm::for_each(op->getResultTypes(), add);
    for (mlir::Region &region : op->getRegions())
      llvm::for_each(region.getArgumentTypes(), add);
  });
  return total;
}

void runIfSmall(mlir::ModuleOp module, int64_t numDevices) {
  if (numDevices > kMostDevicesRun || countElements(module) > kMostElementsRun)
    return;
  mlir::func::FuncOp entry = stablehlo::entryFunctionOrNull(module);
  std::vector<runtime::HostTensor> inputs;
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes())) {
    auto host = driver::hostTypeOf(type);
    if (!host)
      return;
    inputs.push_back(driver::randomTensor(host->type, host->shape, 0, i));
  }
  driver::RunOptions options;
  options.limits.loopIterations = kMostIterations;
  bool areValuesChecked = std::getenv("SHARDWISE_FUZZ_VALUES");
  if (!areValuesChecked)
    options.verification = driver::Verification::None;
  auto outcome = driver::runProgram(module, inputs, {}, options);
  if (areValuesChecked && succeeded(outcome) && outcome->report.hasFailures()) {
    llvm::errs() << driver::toText(outcome->report);
    std::abort();
  }
}

void useProgram(mlir::ModuleOp module, const llvm::SourceMgr &source) {
  explain::ExplainOptions options;
  options.which = explain::ExplainedValues::All;
  options.maxDevices = kMostDevices;
  explain::ProgramNames names(module, source, "fuzz.mlir");
  auto mesh = importer::programMesh(module, kMostDevices);
  if (failed(mesh) || failed(importer::checkEvenShardings(module)))
    return;
  isAccepted = true;
  auto explanation = explain::explain(module, names, options);
  if (succeeded(explanation)) {
    explain::toText(*explanation, names, {.which = options.which, .top = 0});
    explain::toJson(*explanation, names);
  }
  if (succeeded(driver::compile(module, {.maxDevices = kMostDevices})))
    runIfSmall(module, mesh->numDevices());
}

std::string toText(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, mlir::OpPrintingFlags().assumeVerified());
  return text;
}

/// The program in `text` after changes to its ops; the text itself if there is none in it.
std::string mutateOps(const std::string &text, core::testing::Random &random) {
  isAccepted = false;
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &freshEnoughContext());
  if (!module)
    return text;
  fuzz::mutateProgram(*module, random);
  return toText(*module);
}

size_t giveBack(const std::string &text, uint8_t *data, size_t maxSize) {
  if (text.size() > maxSize)
    return 0;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  core::testing::Random random(seed);
  std::string text(reinterpret_cast<const char *>(data), size);
  std::string changed =
      random.chance(50) ? mutateOps(text, random) : fuzz::mutateText(text, text, random);
  if (size_t newSize = giveBack(changed, data, maxSize))
    return newSize;
  return size;
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize,
                                            const uint8_t *second, size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  core::testing::Random random(seed);
  std::string_view text(reinterpret_cast<const char *>(first), firstSize);
  std::string_view donor(reinterpret_cast<const char *>(second), secondSize);
  return giveBack(fuzz::mutateText(text, donor, random), out, maxSize);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  isAccepted = false;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  current = text;
  // External resources and bytecode are MLIR's own readers, not ours.
  if (text.contains("{-#") || text.starts_with("ML\xefR"))
    return 0;
  llvm::SourceMgr source;
  auto module = driver::parseProgram(llvm::MemoryBuffer::getMemBufferCopy(text, "fuzz.mlir"),
                                     "fuzz.mlir", freshEnoughContext(), source);
  if (succeeded(module))
    useProgram(**module, source);
  return 0;
}
