// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `shardwise explain`: where shardings come from, where they met in conflict, and what that costs.

#include "shardwise/explain/CompareReports.h"
#include "shardwise/explain/Explain.h"
#include "shardwise/explain/FailIf.h"
#include "shardwise/explain/FindValues.h"
#include "shardwise/explain/MeshSizes.h"
#include "shardwise/explain/Reports.h"
#include "shardwise/explain/page/Page.h"
#include "shardwise/runtime/WriteFile.h"
#include "shardwise/tools/shardwise/Commands.h"
#include "shardwise/tools/shardwise/ConflictRemarks.h"
#include "shardwise/tools/shardwise/MemoryLimitOption.h"
#include "shardwise/tools/shardwise/NumberChecks.h"
#include "shardwise/tools/shardwise/RemovedOnInterrupt.h"
#include "shardwise/tools/shardwise/Session.h"
#include "shardwise/tools/shardwise/TopologyOption.h"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardwise::tools {
namespace {

struct ExplainArguments {
  std::string program;
  std::vector<std::string> values;
  std::string axis;
  int64_t dim = -1;
  int64_t top = 10;
  int64_t suggestFor = 3;
  double suggestSeconds = 10;
  size_t width = 0;
  std::string topology;
  std::string memoryLimit;
  /// `time`, `bytes`, or a topology.
  std::string choosesBy = "time";
  std::vector<std::string> meshes;
  std::string diff;
  std::string failIf;
  bool all = false;
  bool asJson = false;
  std::string html;
  std::string perfetto;
  std::string sourceRoot;

  /// Whether several reports are shown side by side.
  bool compares() const { return !diff.empty() || meshes.size() > 1; }
  /// The topology that decides what is cheapest; none if it is empty.
  std::string chosenFor() const {
    if (choosesBy == "time")
      return topology;
    return choosesBy == "bytes" ? "" : choosesBy;
  }
};

std::string quotedList(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Columns of the terminal that standard output is; 100 if it is none.
size_t terminalWidth() {
  constexpr size_t kDefault = 100;
  constexpr size_t kLeast = 80;
  if (const char *columns = std::getenv("COLUMNS"))
    if (size_t width = std::strtoul(columns, nullptr, 10); width > 0)
      return std::max(width, kLeast);
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return kDefault;
  return std::max<size_t>(size.ws_col, kLeast);
}

/// A program and its explanation, which is about names and types of the session.
struct Explained {
  Session session;
  std::unique_ptr<explain::ProgramNames> names;
  std::optional<explain::Explanation> explanation;
  explain::ExplainedValues which = explain::ExplainedValues::Annotated;
  /// Why there is none.
  int exitCode = kUserError;
};

/// What the command line asks of `module`; values that are asked for are looked up before
/// propagation, so that a misspelt one is refused at once.
Result<explain::ExplainOptions> optionsFor(const ExplainArguments &arguments, mlir::ModuleOp module,
                                           const explain::ProgramNames &names) {
  explain::ExplainOptions options;
  options.topology = arguments.topology;
  options.choices.topology = arguments.chosenFor();
  if (arguments.all)
    options.which = explain::ExplainedValues::All;
  else if (!arguments.html.empty())
    explain::explainForPage(module, options);
  for (const std::string &text : arguments.values) {
    std::vector<explain::ValueId> found = explain::findValues(names, text);
    if (found.empty())
      return invalid(explain::whyNotFound(names, text));
    options.which = explain::ExplainedValues::Asked;
    options.values.insert(options.values.end(), found.begin(), found.end());
  }
  if (arguments.dim >= 0)
    options.dim = arguments.dim;
  if (!arguments.axis.empty())
    options.axis = arguments.axis;
  // Only the summary lists them, and JSON.
  if (arguments.values.empty() && (!arguments.compares() || !arguments.html.empty()))
    options.suggestFor = arguments.suggestFor;
  options.suggestSeconds = arguments.suggestSeconds;
  options.hasMemory = arguments.values.empty();
  return options;
}

/// What is wrong with the axis or dimension that is asked for; nothing if there is one.
std::optional<std::string> whyNotAsked(const explain::ExplainOptions &options,
                                       const explain::Explanation &explanation,
                                       const explain::ProgramNames &names) {
  std::vector<std::string> axes;
  for (const core::MeshAxis &axis : explanation.mesh.axes())
    axes.push_back(axis.name);
  if (options.axis && std::find(axes.begin(), axes.end(), *options.axis) == axes.end())
    return fmt::format("the mesh has no axis {}; it has {}", *options.axis,
                       axes.empty() ? "none" : quotedList(axes));
  return options.dim ? explain::whyNoDimension(explanation, names, *options.dim) : std::nullopt;
}

/// Explains the program at `path`, with other sizes of axes if `meshSizes` has any.
std::unique_ptr<Explained> explainProgram(const ExplainArguments &arguments,
                                          const std::string &path, const std::string &meshSizes) {
  auto result = std::make_unique<Explained>();
  Session &session = result->session;
  auto refuse = [&](const Error &error) {
    result->exitCode = session.report(error);
    return std::move(result);
  };
  // Gone before the program is compiled, which takes the most memory.
  auto written = std::make_unique<mlir::AsmParserState>();
  auto module = session.load(path, written.get());
  if (failed(module))
    return result;
  if (!meshSizes.empty())
    if (Result<void> done = explain::setMeshSizes(*module, meshSizes); !done.ok())
      return refuse(done.error());
  result->names = std::make_unique<explain::ProgramNames>(
      explain::readNames(*module, *written, session.source(), path));
  written.reset();
  Result<explain::ExplainOptions> options = optionsFor(arguments, *module, *result->names);
  if (!options.ok())
    return refuse(options.error());
  options->onStage = session.stageListener();
  driver::CompileOptions compileOptions = session.compileOptions();
  compileOptions.choices = options->choices;
  if (failed(fitMemoryLimit(session, *module, arguments.memoryLimit, compileOptions)))
    return result;
  options->choices = compileOptions.choices;
  auto explanation = explain::explain(*module, *result->names, *options);
  session.progress.clear();
  if (failed(explanation))
    return result;
  if (auto problem = whyNotAsked(*options, *explanation, *result->names))
    return refuse(invalid(*problem));
  result->which = options->which;
  result->explanation = std::move(*explanation);
  return result;
}

/// Complains if the condition of `--fail-if` is none, or holds in `json`. Returns how the command
/// ends: who asks for what the report does not have is to hear of that, and not that it holds.
int checkCondition(Session &session, const std::string &condition, const std::string &json) {
  if (condition.empty())
    return kSuccess;
  Result<std::string> holds = explain::whatHolds(condition, json);
  if (!holds.ok()) {
    session.report(holds.error());
    return kUsageError;
  }
  return holds->empty() ? kSuccess : session.report(invalid("--fail-if: " + *holds));
}

/// Writes the page, with `other` beside if there is one, and says so.
int writePage(const ExplainArguments &arguments, Explained &explained,
              std::optional<explain::OtherReport> other = std::nullopt) {
  explain::PageOptions options;
  const llvm::SourceMgr &source = explained.session.source();
  options.programText = source.getMemoryBuffer(source.getMainFileID())->getBuffer();
  options.sourceRoots = {arguments.sourceRoot};
  if (other)
    options.other.emplace(*other);
  std::string page = explain::toHtml(*explained.explanation, *explained.names, options);
  RemovedOnInterrupt guard(arguments.html);
  if (Result<void> written = runtime::writeFile(arguments.html, {page}); !written.ok())
    return explained.session.report(written.error());
  if (!arguments.asJson)
    fmt::print("{}: a page to open in a browser\n", arguments.html);
  return kSuccess;
}

/// Writes the timeline, and says so.
int writeTimeline(const ExplainArguments &arguments, Explained &explained) {
  RemovedOnInterrupt guard(arguments.perfetto);
  if (Result<void> written = runtime::writeFile(
          arguments.perfetto, {explain::toTimeline(*explained.explanation, *explained.names)});
      !written.ok())
    return explained.session.report(written.error());
  if (!arguments.asJson)
    fmt::print("{}: a timeline to open in https://ui.perfetto.dev\n", arguments.perfetto);
  return kSuccess;
}

/// Prints one report, or writes it as a page or timeline.
int runReport(const ExplainArguments &arguments) {
  auto explained = explainProgram(arguments, arguments.program,
                                  arguments.meshes.empty() ? "" : arguments.meshes.front());
  if (!explained->explanation)
    return explained->exitCode;
  if (!arguments.html.empty())
    if (int ended = writePage(arguments, *explained); ended != kSuccess)
      return ended;
  if (!arguments.perfetto.empty())
    if (int ended = writeTimeline(arguments, *explained); ended != kSuccess)
      return ended;
  std::string json = arguments.asJson || !arguments.failIf.empty()
                         ? explain::toJson(*explained->explanation, *explained->names)
                         : "";
  if (arguments.asJson)
    fmt::print("{}\n", json);
  else if (arguments.html.empty() && arguments.perfetto.empty())
    fmt::print("{}", explain::toText(*explained->explanation, *explained->names,
                                     {explained->which, arguments.top,
                                      arguments.width > 0 ? arguments.width : terminalWidth()}));
  return checkCondition(explained->session, arguments.failIf, json);
}

/// Prints reports side by side: the program as it is, on other meshes, and the one of `--diff`.
int runComparison(const ExplainArguments &arguments) {
  std::vector<std::pair<std::string, std::unique_ptr<Explained>>> all;
  auto add = [&](const std::string &name, const std::string &path, const std::string &sizes) {
    all.emplace_back(name, explainProgram(arguments, path, sizes));
    return all.back().second->explanation.has_value();
  };
  auto baseName = [](const std::string &path) { return path.substr(path.rfind('/') + 1); };
  bool isWhole = true;
  if (arguments.meshes.size() != 1)
    isWhole = add(arguments.diff.empty() ? "as written" : baseName(arguments.program),
                  arguments.program, "");
  for (const std::string &sizes : arguments.meshes)
    isWhole = isWhole && add(sizes, arguments.program, sizes);
  if (!arguments.diff.empty())
    isWhole = isWhole && add(baseName(arguments.diff), arguments.diff, "");
  if (!isWhole)
    return all.back().second->exitCode;
  std::vector<explain::ComparedReport> reports;
  for (const auto &[name, explained] : all)
    reports.push_back({name, *explained->explanation, *explained->names});
  std::string json = explain::comparisonJson(reports);
  if (!arguments.html.empty()) {
    const Explained &other = *all[1].second;
    if (int ended = writePage(arguments, *all[0].second,
                              explain::OtherReport{all[1].first, *other.explanation, *other.names});
        ended != kSuccess)
      return ended;
  }
  if (arguments.asJson)
    fmt::print("{}\n", json);
  else if (arguments.html.empty())
    fmt::print("{}", explain::comparisonText(reports, static_cast<size_t>(arguments.top)));
  return checkCondition(all.front().second->session, arguments.failIf, json);
}

int run(const ExplainArguments &arguments) {
  for (const std::string &topology : {arguments.topology, arguments.chosenFor()})
    if (Result<void> checked = checkTopology(topology); !checked.ok())
      return Session().report(checked.error());
  bool isFile = !arguments.html.empty() || !arguments.perfetto.empty();
  if (arguments.meshes.size() > 1 && isFile)
    return Session().report(
        invalid("--html and --perfetto show one report; give them one --mesh at most"));
  if (!arguments.perfetto.empty() && arguments.topology.empty())
    return Session().report(invalid("--perfetto shows modelled times, and these are of a machine: "
                                    "name one with --topology, a preset such as tpu-v5e or a "
                                    "file"));
  return arguments.compares() ? runComparison(arguments) : runReport(arguments);
}

} // namespace

namespace {

/// Explains `module`, whose names are `names`. With `isPropagatedOnce`, `options` get the
/// propagated program.
llvm::FailureOr<explain::Explanation> explainFor(mlir::ModuleOp module,
                                                 const explain::ProgramNames &names,
                                                 bool isPropagatedOnce,
                                                 driver::CompileOptions &options) {
  explain::ExplainOptions explainOptions;
  explainOptions.maxDevices = options.maxDevices;
  explainOptions.onStage = options.onStage;
  explainOptions.choices = options.choices;
  if (isPropagatedOnce)
    explainOptions.onPropagated = [&](mlir::ModuleOp propagated) {
      options.propagated = propagated.clone();
    };
  return explain::explain(module, names, explainOptions);
}

} // namespace

llvm::LogicalResult printConflicts(Session &session, mlir::ModuleOp module,
                                   const std::string &program, driver::CompileOptions &options) {
  return forcedGathers(session, module, program, /*showConflicts=*/true, options);
}

llvm::FailureOr<std::vector<explain::ForcedGatherText>>
forcedGathers(Session &session, mlir::ModuleOp module, const std::string &program,
              bool showConflicts, driver::CompileOptions &options) {
  explain::ProgramNames names(module, session.source(), program);
  auto explanation = explainFor(module, names, showConflicts, options);
  if (failed(explanation))
    return llvm::failure();
  if (showConflicts) {
    session.progress.clear();
    fmt::print(stderr, "{}", explain::toRemarks(*explanation, names));
  }
  return explain::forcedGathers(*explanation, names);
}

void addExplainCommand(CLI::App &app, Command &chosen) {
  CLI::App *command = app.add_subcommand(
      "explain", "Tell why values are sharded as they are, and which annotations cost transfers");
  auto arguments = std::make_shared<ExplainArguments>();
  command
      ->add_option("program", arguments->program, "StableHLO program (.mlir), - for standard input")
      ->required()
      ->check(notEmpty());
  auto *value = command->add_option(
      "--value", arguments->values,
      "explain this value: %name, %12, %arg0, %5#1, @function:%name, the name of an argument "
      "in your source, or FILE:LINE of what makes it, there or here");
  command->add_option("--axis", arguments->axis, "only axes of this name");
  command->add_option("--dimension", arguments->dim, "only this dimension, from 0")
      ->check(wholeNumber<int64_t>(0));
  command
      ->add_option("--top", arguments->top,
                   "rows of each table, 0 for all, with nothing folded (default 10)")
      ->check(wholeNumber<int64_t>(0));
  command
      ->add_option("--suggest", arguments->suggestFor,
                   "try other annotations for this many of the worst conflicts (default 3)")
      ->check(wholeNumber<int64_t>(0));
  command
      ->add_option("--suggest-seconds", arguments->suggestSeconds,
                   "the most time for that (default 10)")
      ->check(nonNegativeNumber())
      ->check(CLI::Range(0.0, 1e6));
  command
      ->add_option("--width", arguments->width,
                   "columns of the text (default: those of the terminal, else 100)")
      ->check(CLI::Range(40, 1000));
  addTopologyOption(*command, arguments->topology);
  addMemoryLimitOption(*command, arguments->memoryLimit);
  command
      ->add_option(
          "--choose-by", arguments->choosesBy,
          "explain the program as it is partitioned for the machine of --topology (time, the "
          "default), without one (bytes), or for another one, a preset or a file")
      ->check(notEmpty("time, bytes, or a topology"));
  command
      ->add_option("--mesh", arguments->meshes,
                   "other sizes of axes of the mesh, as data=8,tensor=4; several times: a table of "
                   "the program as it is and on each")
      ->check(notEmpty("sizes of axes"))
      ->excludes(value);
  auto *diff =
      command
          ->add_option("--diff", arguments->diff,
                       "another program: a table of what both take, and of transfers that differ")
          ->check(notEmpty())
          ->excludes(value);
  command
      ->add_option("--fail-if", arguments->failIf,
                   "end with 1 if this holds of the JSON, as memory.peak_bytes > 80GiB or "
                   "work.repeated > 1.1")
      ->check(notEmpty("a condition"));
  command->add_flag("--all", arguments->all, "explain every value of the program")->excludes(value);
  command->add_flag("--json", arguments->asJson, "print the explanation as JSON");
  command
      ->add_option(
          "--html", arguments->html,
          "write a page for a browser to this file: transfers, conflicts, source lines, and "
          "a picture of every tensor; with --diff what differs from the other program")
      ->check(notEmpty())
      ->excludes(value);
  command
      ->add_option("--perfetto", arguments->perfetto,
                   "with --topology: write when a device would do what to this file, a timeline "
                   "for https://ui.perfetto.dev")
      ->check(notEmpty())
      ->excludes(value)
      ->excludes(diff);
  command
      ->add_option("--source-root", arguments->sourceRoot,
                   "with --html: folder of the source files that the program names (default: the "
                   "current one)")
      ->default_val(".");
  command->footer(
      "Without --value: the transfers between devices with their reasons, the conflicts between\n"
      "annotations with the rule that decided each, and where the axes of annotated and returned\n"
      "values come from. With --value: the ops through which each axis came, from the value back\n"
      "to the annotation.\n\n"
      "With --topology: also modelled times, of each transfer and over each axis; the most time "
      "is\n"
      "first, and changes of annotations are ranked by it.\n\n"
      "Ends with 0; with 1 if the program or a value that was asked for is at fault, or --fail-if\n"
      "holds; with 2 on a wrong command line or condition.\n\n"
      "Examples:\n"
      "  shardwise explain examples/transformer_train/model.mlir\n"
      "  shardwise explain examples/transformer_train/model.mlir --topology tpu-v5e\n"
      "  shardwise explain examples/transformer_train/model.mlir --mesh data=4,model=2 --fail-if "
      "'memory.peak_bytes > 1GiB'\n"
      "  shardwise explain examples/transformer_train/model.mlir --html report.html\n"
      "  shardwise explain examples/transformer_train/model.mlir --value %45\n"
      "  shardwise explain examples/rnn_scan/model.mlir --value %2#6 --axis model --dimension 2\n"
      "  shardwise explain examples/mlp_train/model.mlir --value model.mlir:31 --json");
  command->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

} // namespace shardwise::tools
