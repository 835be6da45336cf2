// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `shardwise eval`: run a program, or many, as they are written, on one device.

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/driver/EvaluateProgram.h"
#include "shardwise/driver/MachineMemory.h"
#include "shardwise/tools/shardwise/Commands.h"
#include "shardwise/tools/shardwise/Session.h"
#include "shardwise/tools/shardwise/TensorFiles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>

namespace shardwise::tools {
namespace {

using driver::Evaluator;
using nlohmann::ordered_json;

const std::map<std::string, Evaluator> kEvaluators = {{"compiled", Evaluator::Compiled},
                                                      {"reference", Evaluator::Reference},
                                                      {"both", Evaluator::Both}};

struct EvalArguments {
  std::string program;
  TensorPlaces files;
  /// Empty: whichever can.
  std::string evaluator;
  driver::Tolerance tolerance;
  std::string programsFile;
  bool asJson = false;
};

/// Loads, evaluates and writes the outputs. What was complained about is on the session's stream;
/// then the exit code is not that of success and there is no outcome.
struct Evaluation {
  int exitCode = kUserError;
  std::optional<driver::EvaluateOutcome> outcome;
};

Evaluation evaluate(Session &session, const EvalArguments &arguments) {
  auto module = session.load(arguments.program);
  if (failed(module))
    return {};
  if (failed(driver::checkTensorsFitMemory(*module)))
    return {};
  mlir::func::FuncOp entry = stablehlo::entryFunctionOrNull(*module);
  auto given = readTensors(arguments.files, entry);
  if (!given)
    return {session.report(given.error()), std::nullopt};

  driver::EvaluateOptions options;
  if (!arguments.evaluator.empty())
    options.evaluator = kEvaluators.at(arguments.evaluator);
  options.tolerance = arguments.tolerance;
  options.onStage = session.stageListener();
  auto outcome = driver::evaluateProgram(*module, given->inputs, given->expected, options);
  session.progress.clear();
  if (failed(outcome))
    return {};
  if (!arguments.files.outputFolder.empty())
    if (auto written = writeTensors(arguments.files.outputFolder, outcome->outputs); !written)
      return {session.report(written.error()), std::nullopt};
  outcome->report.program = arguments.program;
  int exitCode = driver::haveFailures(outcome->report.outputs) ? kUserError : kSuccess;
  return {exitCode, std::move(*outcome)};
}

/// Outputs that are not written to files are part of the report.
std::span<const runtime::HostTensor> shownOutputs(const EvalArguments &arguments,
                                                  const driver::EvaluateOutcome &outcome) {
  if (!arguments.files.outputFolder.empty())
    return {};
  return outcome.outputs;
}

int evaluateOne(const EvalArguments &arguments) {
  Session session;
  Evaluation evaluation = evaluate(session, arguments);
  if (!evaluation.outcome)
    return evaluation.exitCode;
  const driver::EvaluateOutcome &outcome = *evaluation.outcome;
  auto shown = shownOutputs(arguments, outcome);
  fmt::print("{}", arguments.asJson
                       ? driver::toJson(outcome.report, shown)
                                 .dump(2, ' ', false, ordered_json::error_handler_t::replace) +
                             "\n"
                       : driver::toText(outcome.report, shown));
  return evaluation.exitCode;
}

/// Reads one line of a file of programs over the options of the command line.
Result<void> readLine(const std::string &line, EvalArguments &arguments) {
  nlohmann::json json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return invalid("not a JSON object");
  std::map<std::string, std::string *> texts = {{"program", &arguments.program},
                                                {"inputs", &arguments.files.inputs},
                                                {"expect", &arguments.files.expected},
                                                {"outputs", &arguments.files.outputFolder},
                                                {"evaluator", &arguments.evaluator}};
  for (const auto &[key, value] : json.items()) {
    if (auto text = texts.find(key); text != texts.end()) {
      if (!value.is_string())
        return invalid(fmt::format("\"{}\" is no string", key));
      *text->second = value.get<std::string>();
    } else if (key == "seed") {
      if (!value.is_number_unsigned())
        return invalid("\"seed\" is no non-negative integer");
      arguments.files.seed = value.get<uint64_t>();
    } else {
      return invalid(fmt::format("unknown key \"{}\"; the keys are program, inputs, expect, "
                                 "outputs, evaluator and seed",
                                 key));
    }
  }
  if (arguments.program.empty())
    return invalid("\"program\" is missing");
  if (!arguments.evaluator.empty() && !kEvaluators.contains(arguments.evaluator))
    return invalid(
        fmt::format("there is no evaluator \"{}\"; there are compiled, reference and both",
                    arguments.evaluator));
  return {};
}

/// The answer to one line; errors are answers too.
ordered_json answerLine(const std::string &line, EvalArguments arguments) {
  if (Result<void> read = readLine(line, arguments); !read)
    return {{"error", read.error().message}};
  // A session for each line: programs share nothing, and one that is refused leaves nothing behind.
  std::string complaints;
  llvm::raw_string_ostream stream(complaints);
  Session session(stream);
  Evaluation evaluation = evaluate(session, arguments);
  if (!evaluation.outcome)
    return {{"program", arguments.program}, {"error", complaints}};
  return driver::toJson(evaluation.outcome->report, shownOutputs(arguments, *evaluation.outcome));
}

int evaluateMany(const EvalArguments &arguments) {
  std::ifstream file;
  if (arguments.programsFile != "-") {
    file.open(arguments.programsFile);
    if (!file) {
      fmt::print(stderr, "shardwise: error: cannot read {}\n", arguments.programsFile);
      return kUserError;
    }
  }
  std::istream &input = arguments.programsFile == "-" ? std::cin : file;
  std::string line;
  while (std::getline(input, line))
    if (line.find_first_not_of(" \t\r") != std::string::npos) {
      // Complaints quote the user's file, which need not be UTF-8.
      fmt::print(
          "{}\n",
          answerLine(line, arguments).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
      // Whoever writes lines one by one waits for the answer to each.
      std::fflush(stdout);
    }
  // A folder, say, can be opened.
  if (input.bad()) {
    fmt::print(stderr, "shardwise: error: cannot read {}\n", arguments.programsFile);
    return kUserError;
  }
  return kSuccess;
}

int eval(const EvalArguments &arguments) {
  if (!arguments.programsFile.empty())
    return evaluateMany(arguments);
  if (!arguments.program.empty())
    return evaluateOne(arguments);
  fmt::print(stderr, "program is required (or --programs FILE)\n"
                     "Run with --help for more information.\n");
  return kUsageError;
}

} // namespace

void addEvalCommand(CLI::App &app, Command &chosen) {
  CLI::App *command = app.add_subcommand(
      "eval", "Run a program as it is written, on one device, and print or write its results");
  auto arguments = std::make_shared<EvalArguments>();
  command->add_option("program", arguments->program,
                      "StableHLO program (.mlir), - for standard input");
  addTensorOptions(*command, arguments->files);
  command
      ->add_option("--evaluator", arguments->evaluator,
                   "compiled, reference (plain and slow), or both, compared; without it, reference "
                   "for programs with manual computations (shard_map), else compiled")
      ->check(CLI::IsMember(kEvaluators));
  addToleranceOptions(*command, arguments->tolerance);
  command->add_flag("--json", arguments->asJson, "print the report as JSON");
  command->add_option("--programs", arguments->programsFile,
                      "evaluate many: a JSON object a line with program and optionally inputs, "
                      "expect, outputs, evaluator, seed; - for standard input; an answer a line");
  command->footer(
      "Shardings have no effect on values and are ignored; nothing is partitioned. The body of a\n"
      "manual computation runs on all devices of its mesh, op by op. Without\n"
      "--outputs the results are printed: a large tensor by its ends, with --json as a flat list.\n"
      "An element passes if |actual - expected| <= atol + rtol * |expected|. With --programs, what "
      "is\n"
      "wrong with one program is its answer (key \"error\"), and the exit code stays 0.\n\n"
      "Examples:\n"
      "  shardwise eval examples/convnet/model.mlir --inputs examples/convnet/inputs\n"
      "  shardwise eval examples/mlp_train/model.mlir --seed 3 --evaluator both --json\n"
      "  echo '{\"program\": \"examples/convnet/model.mlir\", \"outputs\": \"results/\"}' | "
      "shardwise eval --programs -");
  command->callback([=, &chosen] { chosen = [=] { return eval(*arguments); }; });
}

} // namespace shardwise::tools
