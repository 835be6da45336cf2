// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LoadedProgram.h"

#include "Failure.h"

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/dialect/stablehlo/SupportedPrograms.h"
#include "shardwise/driver/HostTypes.h"
#include "shardwise/driver/LoadProgram.h"
#include "shardwise/driver/LoopMemory.h"
#include "shardwise/driver/MachineMemory.h"
#include "shardwise/driver/RandomInputs.h"
#include "shardwise/driver/Registration.h"
#include "shardwise/driver/TextLimits.h"
#include "shardwise/explain/FindValues.h"
#include "shardwise/explain/Reports.h"
#include "shardwise/explain/page/Page.h"
#include "shardwise/planner/model/Machine.h"
#include "shardwise/runtime/StartedProcesses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <chrono>
#include <exception>

using namespace mlir;

namespace shardwise::python {
namespace {

DialectRegistry makeRegistry() {
  DialectRegistry registry;
  driver::registerDialects(registry);
  return registry;
}

std::string textOf(ModuleOp module, OpPrintingFlags flags = OpPrintingFlags()) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, flags);
  stream << "\n";
  return text;
}

transforms::OutputForm formOf(const std::string &name) {
  std::string names;
  for (const transforms::NamedForm &one : transforms::kOutputForms) {
    if (one.name == name)
      return one.form;
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  throw Failure(invalid("there is no form '" + name + "'; the forms are " + names));
}

} // namespace

// One program at a time: a thread pool would cost more than it brings.
LoadedProgram::LoadedProgram(std::string_view text, std::string programName)
    : name(std::move(programName)), context(makeRegistry(), MLIRContext::Threading::DISABLED),
      diagnostics(sourceManager, &context, stream) {
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  diagnostics.setProgram(name);
  work([&]() -> LogicalResult {
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy({text.data(), text.size()}, name);
    auto loaded = driver::parseProgram(std::move(buffer), name, context, sourceManager);
    if (failed(loaded))
      return failure();
    module = std::move(*loaded);
    return success();
  });
}

void LoadedProgram::work(llvm::function_ref<LogicalResult()> body) {
  std::scoped_lock lock(turn);
  complaints.clear();
  bool succeeds = false;
  // Nothing thrown may leave the thread that has the deep stack.
  std::exception_ptr thrown;
  driver::runOnDeepStack([&] {
    try {
      succeeds = succeeded(body());
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  if (thrown)
    std::rethrow_exception(thrown);
  if (!succeeds)
    throw Failure(complaints.empty()
                      ? Error{ErrorKind::Internal, "the compiler failed without a diagnostic"}
                      : invalid(complaints));
  warnings += complaints;
}

std::string LoadedProgram::takeWarnings() {
  std::scoped_lock lock(turn);
  return std::exchange(warnings, {});
}

LogicalResult LoadedProgram::choose(const Choices &choices, driver::CompileOptions &options) {
  valueOf(planner::loadMachine(choices.topology));
  options.choices.topology = choices.topology;
  options.maxDevices = choices.maxDevices;
  if (!choices.memoryLimit)
    return success();
  auto fit = driver::fitMemory(*module, options, *choices.memoryLimit);
  if (failed(fit))
    return failure();
  options.choices = fit->choices;
  if (!fit->fits())
    throw Failure({ErrorKind::Infeasible, fit->shortfall() + "; raise the limit, use more devices, "
                                                             "or shard what is largest"});
  return success();
}

std::string LoadedProgram::propagate(const Choices &choices) {
  std::string text;
  work([&]() -> LogicalResult {
    OwningOpRef<ModuleOp> copy = module->clone();
    driver::CompileOptions options;
    options.maxDevices = choices.maxDevices;
    if (failed(driver::propagate(*copy, options)))
      return failure();
    text = textOf(*copy);
    return success();
  });
  return text;
}

void LoadedProgram::partitionFor(
    const Choices &choices, const std::string &formName,
    llvm::function_ref<void(ModuleOp, const driver::ProgramBorder &)> read) {
  transforms::OutputForm form = formOf(formName);
  work([&]() -> LogicalResult {
    OwningOpRef<ModuleOp> copy = module->clone();
    driver::CompileOptions options;
    driver::ProgramBorder border;
    if (failed(choose(choices, options)) ||
        failed(driver::partition(*copy, options, form, &border)))
      return failure();
    read(*copy, border);
    return success();
  });
}

std::string LoadedProgram::partition(const Choices &choices, const std::string &form) {
  std::string text;
  partitionFor(choices, form,
               [&](ModuleOp local, const driver::ProgramBorder &) { text = textOf(local); });
  return text;
}

std::string LoadedProgram::border(const Choices &choices, const std::string &form) {
  std::string json;
  partitionFor(choices, form, [&](ModuleOp, const driver::ProgramBorder &border) {
    json = valueOf(driver::toJson(border, form));
  });
  return json;
}

std::tuple<std::string, std::string, std::string>
LoadedProgram::partitionWithBorder(const Choices &choices, const std::string &form) {
  std::tuple<std::string, std::string, std::string> all;
  partitionFor(choices, form, [&](ModuleOp local, const driver::ProgramBorder &border) {
    all = {textOf(local), textOf(local, OpPrintingFlags().enableDebugInfo()),
           valueOf(driver::toJson(border, form))};
  });
  return all;
}

FailureOr<explain::Explanation> LoadedProgram::explanationOf(const Choices &choices,
                                                             const explain::ProgramNames &names,
                                                             explain::ExplainOptions options) {
  driver::CompileOptions compileOptions;
  if (failed(choose(choices, compileOptions)))
    return failure();
  options.hasMemory = options.values.empty();
  options.maxDevices = choices.maxDevices;
  options.choices = compileOptions.choices;
  valueOf(planner::loadMachine(choices.timesOn));
  options.topology = choices.timesOn;
  return explain::explain(*module, names, options);
}

std::pair<std::string, std::string> LoadedProgram::explain(const Choices &choices,
                                                           const ExplainQuestion &question) {
  std::pair<std::string, std::string> texts;
  work([&]() -> LogicalResult {
    explain::ProgramNames names(*module, sourceManager, name);
    explain::ExplainOptions options;
    options.suggestFor = question.values.empty() ? question.suggestFor : 0;
    if (question.all)
      options.which = explain::ExplainedValues::All;
    for (const std::string &text : question.values) {
      std::vector<explain::ValueId> found = explain::findValues(names, text);
      if (found.empty())
        throw Failure(invalid(explain::whyNotFound(names, text)));
      options.which = explain::ExplainedValues::Asked;
      options.values.insert(options.values.end(), found.begin(), found.end());
    }
    auto explanation = explanationOf(choices, names, options);
    if (failed(explanation))
      return failure();
    texts = {explain::toText(*explanation, names,
                             {options.which, question.top, static_cast<size_t>(question.width)}),
             explain::toJson(*explanation, names)};
    return success();
  });
  return texts;
}

std::string LoadedProgram::page(const Choices &choices, int64_t suggestFor,
                                const std::string &sourceRoot) {
  std::string text;
  work([&]() -> LogicalResult {
    explain::ProgramNames names(*module, sourceManager, name);
    explain::ExplainOptions options;
    options.suggestFor = suggestFor;
    explain::explainForPage(*module, options);
    auto explanation = explanationOf(choices, names, options);
    if (failed(explanation))
      return failure();
    explain::PageOptions pageOptions;
    pageOptions.programText =
        sourceManager.getMemoryBuffer(sourceManager.getMainFileID())->getBuffer();
    pageOptions.sourceRoots = {sourceRoot};
    text = explain::toHtml(*explanation, names, pageOptions);
    return success();
  });
  return text;
}

std::string LoadedProgram::timeline(const Choices &choices) {
  std::string text;
  work([&]() -> LogicalResult {
    explain::ProgramNames names(*module, sourceManager, name);
    auto explanation = explanationOf(choices, names, {});
    if (failed(explanation))
      return failure();
    text = explain::toTimeline(*explanation, names);
    return success();
  });
  return text;
}

void LoadedProgram::compile(const Choices &choices) {
  work([&]() -> LogicalResult {
    driver::CompileOptions options;
    if (failed(choose(choices, options)) || failed(stablehlo::checkKernels(*module)))
      return failure();
    auto start = std::chrono::steady_clock::now();
    auto executable = driver::compile(*module, options);
    compileSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (failed(executable))
      return failure();
    compiled = std::move(*executable);
    fitsMemory = false;
    return success();
  });
}

const driver::Executable &LoadedProgram::executable() const {
  if (!compiled)
    throw Failure({ErrorKind::Internal, "the program has not been compiled"});
  return *compiled;
}

std::vector<runtime::HostTensor> LoadedProgram::randomInputs(uint64_t seed) {
  work([&] { return driver::checkTensorsFitMemory(*module); });
  std::vector<runtime::HostTensor> tensors;
  for (const driver::ShardedValue &argument : executable().arguments)
    tensors.push_back(
        driver::randomTensor(argument.type, argument.globalShape, seed, tensors.size()));
  return tensors;
}

void LoadedProgram::checkInputs(const std::vector<runtime::HostTensor> &tensors, const char *what,
                                bool areArguments) {
  func::FuncOp entry = stablehlo::entryFunctionOrNull(*module);
  check(driver::checkTensors(
      tensors, areArguments ? entry.getArgumentTypes() : entry.getResultTypes(), what));
}

driver::DeviceOutputs LoadedProgram::run(const std::vector<runtime::HostTensor> &inputs,
                                         const execute::RunLimits &limits) {
  checkInputs(inputs, "input", /*areArguments=*/true);
  checkMemory();
  // Devices are threads, whose stacks are as deep as those that `work` has had made.
  return valueOf(driver::runOnDevices(executable(), inputs, limits));
}

void LoadedProgram::checkMemory(const runtime::Processes *processes) {
  if (fitsMemory)
    return;
  work([&] { return driver::checkFitsMemory(executable(), *module, processes); });
  fitsMemory = true;
}

driver::DeviceArrays LoadedProgram::runOnArrays(std::span<const driver::DeviceArray *const> inputs,
                                                runtime::Processes &processes,
                                                const execute::RunLimits &limits) {
  checkMemory(&processes);
  return valueOf(driver::runOnDeviceArrays(executable(), inputs, processes, limits));
}

Verdict LoadedProgram::compare(std::span<const driver::DeviceArray *const> inputs,
                               std::span<const driver::DeviceArray *const> outputs,
                               runtime::Processes &processes, const execute::RunLimits &limits) {
  auto wholes = [&](std::span<const driver::DeviceArray *const> arrays) {
    std::vector<runtime::HostTensor> tensors;
    for (const driver::DeviceArray *array : arrays)
      tensors.push_back(*valueOf(driver::gatherFromDevices(*array, processes)));
    return tensors;
  };
  const std::vector<runtime::HostTensor> given = wholes(inputs);
  std::vector<runtime::HostTensor> results = wholes(outputs);
  driver::RunOptions options;
  options.limits = limits;
  Verdict verdict;
  auto judge = [&]() -> Result<std::string> {
    driver::RunReport report;
    try {
      work([&]() -> LogicalResult {
        auto compared =
            driver::compareOutputs(*module, executable(), given, std::move(results), options);
        if (failed(compared))
          return failure();
        report = std::move(*compared);
        return success();
      });
    } catch (const Failure &failure) {
      return failure.error();
    }
    std::erase_if(report.outputs, [](const auto &output) { return output.passes(); });
    verdict.failures = driver::toText(report.outputs, "unpartitioned program");
    return std::string(!report.verification ? "-" : report.outputs.empty() ? "passes" : "fails");
  };
  const std::string word = valueOf(
      runtime::tellAll(processes, processes.index() == 0 ? judge() : Result<std::string>("")));
  verdict.isCompared = word != "-";
  verdict.hasFailures = word == "fails";
  return verdict;
}

driver::RunOutcome LoadedProgram::verify(const std::vector<runtime::HostTensor> &inputs,
                                         const std::vector<runtime::HostTensor> &expected,
                                         const driver::RunOptions &options) {
  checkInputs(inputs, "input", /*areArguments=*/true);
  if (!expected.empty())
    checkInputs(expected, "expected output", /*areArguments=*/false);
  driver::RunOutcome outcome;
  work([&]() -> LogicalResult {
    auto ran = driver::runProgram(*module, executable(), inputs, expected, options);
    if (failed(ran))
      return failure();
    outcome = std::move(*ran);
    return success();
  });
  outcome.report.program = name;
  outcome.report.compileSeconds = compileSeconds;
  return outcome;
}

} // namespace shardwise::python
