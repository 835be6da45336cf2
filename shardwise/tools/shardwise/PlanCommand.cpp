// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `shardwise plan`: plan a reshard, or many; print steps, costs beside the bounds, and pictures.
//
// Options, a line of a problems file, and the topology all fill the same `WrittenProblem`, text
// that nobody has looked up yet; `planner::resolve` does that, once for all. What is said nearer to
// the problem counts: a line over options, an option over the topology, the topology over the
// default. Every plan that is printed has been verified (`planVerified`), whoever made it.

#include "shardwise/planner/draw/PlanPicture.h"
#include "shardwise/planner/model/Machine.h"
#include "shardwise/planner/model/PlanText.h"
#include "shardwise/planner/search/RelabelDevices.h"
#include "shardwise/planner/verify/MeasurePlan.h"
#include "shardwise/planner/verify/PlanVerified.h"
#include "shardwise/planner/verify/VerifyPlan.h"
#include "shardwise/tools/shardwise/ByteSize.h"
#include "shardwise/tools/shardwise/Commands.h"
#include "shardwise/tools/shardwise/NumberChecks.h"
#include "shardwise/tools/shardwise/RemovedOnInterrupt.h"
#include "shardwise/tools/shardwise/TopologyOption.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::tools {
namespace {

using nlohmann::ordered_json;

/// What is written of the links; the rest is that of the topology, or the default.
struct WrittenLinks {
  std::optional<double> latency, bandwidth, hostLatency, hostBandwidth;
  std::optional<int64_t> devicesPerHost;
};

struct PlanArguments {
  planner::WrittenProblem problem;
  std::string topology;
  WrittenLinks links;
  std::string toMesh;
  std::string strategy = "optimal";
  std::string problemsFile;
  std::string svgFile;
  std::string memoryLimit;
  bool compares = false;
  bool asJson = false;
  bool withContents = false;
  bool relabels = false;
  bool skipsPictures = false;
};

int fail(const Error &error) {
  fmt::print(stderr, "shardwise: error: {}\n", error.message);
  return error.kind == ErrorKind::Internal ? kInternalError : kUserError;
}

Result<ordered_json> answer(const planner::ReshardProblem &problem, planner::Strategy strategy,
                            bool withContents) {
  Result<planner::ReshardPlan> plan = planner::planVerified(problem, strategy);
  if (!plan)
    return plan.error();
  ordered_json json = planner::toJson(problem, *plan, strategy);
  if (withContents) {
    auto contents = planner::contentsOf(problem, *plan);
    if (!contents)
      return contents.error();
    json["contents"] = *contents;
  }
  return json;
}

/// Runs all strategies. One that has no plan says why in its row; that is no failure of the
/// command.
int compare(const planner::ReshardProblem &problem, bool asJson) {
  planner::PlanBounds bounds = planner::measureBounds(problem);
  ordered_json json;
  json["lower_bound"] = {{"received_bytes_max", bounds.receivedBytesMax},
                         {"received_bytes_total", bounds.receivedBytesTotal}};
  json["strategies"] = ordered_json::array();
  std::string table =
      fmt::format("{:<24}{:>6} {:>15} {:>9} {:>15} {:>13} {:>13}  {}\n", "strategy", "steps",
                  "received max B", "x bound", "received B", "time us", "peak B", "optimality");
  for (planner::StrategyResult &result : planner::compareStrategies(problem)) {
    std::string_view name = planner::toString(result.strategy);
    if (!result.plan) {
      table += fmt::format("{:<24}{}\n", name, result.plan.error().message);
      json["strategies"].push_back({{"strategy", name}, {"error", result.plan.error().message}});
      continue;
    }
    if (Result<void> verified = planner::verifyPlan(problem, *result.plan); !verified)
      return fail(verified.error());
    planner::PlanMeasure cost = planner::measure(problem, *result.plan);
    double ratio = bounds.receivedBytesMax == 0 ? 1.0
                                                : static_cast<double>(cost.receivedBytesMax) /
                                                      static_cast<double>(bounds.receivedBytesMax);
    table += fmt::format("{:<24}{:>6} {:>15} {:>9.2f} {:>15} {:>13.3f} {:>13}  {}\n", name,
                         result.plan->steps.size(), cost.receivedBytesMax, ratio,
                         cost.receivedBytesTotal, cost.seconds * 1e6, cost.peakBytes,
                         planner::optimalityWord(problem, *result.plan));
    json["strategies"].push_back(planner::toJson(problem, *result.plan, result.strategy));
  }
  if (asJson) {
    fmt::print("{}\n", json.dump(2, ' ', false, ordered_json::error_handler_t::replace));
  } else {
    fmt::print("{}lower bound: {} B for the slowest device, {} B in total\n", table,
               bounds.receivedBytesMax, bounds.receivedBytesTotal);
  }
  return kSuccess;
}

/// The answer to one line of a problems file; errors are answers too.
ordered_json answerLine(const std::string &line, const PlanArguments &arguments) {
  auto refused = [](const std::string &message) { return ordered_json{{"error", message}}; };
  nlohmann::json json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return refused("not a JSON object");
  Result<planner::WrittenProblem> written = planner::problemFromJson(json, arguments.problem);
  if (!written)
    return refused(written.error().message);
  std::string name = arguments.strategy;
  // Null is what a table of problems has where nothing is written.
  if (json.contains("strategy") && !json["strategy"].is_null()) {
    if (!json["strategy"].is_string())
      return refused("\"strategy\" is no string");
    name = json["strategy"].get<std::string>();
  }
  Result<planner::Strategy> strategy = planner::parseStrategy(name);
  if (!strategy)
    return refused(strategy.error().message);
  Result<planner::ReshardProblem> problem = planner::resolve(*written);
  if (!problem)
    return refused(problem.error().message);
  Result<ordered_json> result = answer(*problem, *strategy, arguments.withContents);
  return result ? *result : refused(result.error().message);
}

/// Puts the links of the topology, and those on the command line, into the problem.
Result<void> readLinks(PlanArguments &arguments) {
  planner::Topology &links = arguments.problem.topology;
  if (!arguments.topology.empty()) {
    Result<planner::Machine> machine = planner::loadMachine(arguments.topology);
    if (!machine)
      return machine.error();
    planner::useMachine(arguments.problem, *machine);
  }
  const WrittenLinks &written = arguments.links;
  links.link.latencySeconds = written.latency.value_or(links.link.latencySeconds);
  links.link.bytesPerSecond = written.bandwidth.value_or(links.link.bytesPerSecond);
  links.devicesPerHost = written.devicesPerHost.value_or(links.devicesPerHost);
  links.hostLink.latencySeconds = written.hostLatency.value_or(links.hostLink.latencySeconds);
  links.hostLink.bytesPerSecond = written.hostBandwidth.value_or(links.hostLink.bytesPerSecond);
  return {};
}

int planMany(const PlanArguments &arguments) {
  std::ifstream file;
  if (arguments.problemsFile != "-") {
    file.open(arguments.problemsFile);
    if (!file)
      return fail(invalid(fmt::format("cannot read {}", arguments.problemsFile)));
  }
  std::istream &input = arguments.problemsFile == "-" ? std::cin : file;
  std::string line;
  while (std::getline(input, line))
    if (line.find_first_not_of(" \t\r") != std::string::npos)
      // Errors are answers, so that n lines in are n lines out.
      fmt::print(
          "{}\n",
          answerLine(line, arguments).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  // A folder, say, can be opened.
  if (input.bad())
    return fail(invalid(fmt::format("cannot read {}", arguments.problemsFile)));
  return kSuccess;
}

Result<planner::ReshardProblem> readProblem(const PlanArguments &arguments) {
  planner::WrittenProblem written = arguments.problem;
  if (!arguments.toMesh.empty())
    written.toMesh = arguments.toMesh;
  if (!arguments.memoryLimit.empty())
    written.memoryLimitBytes = *parseByteSize(arguments.memoryLimit);
  Result<planner::ReshardProblem> problem = planner::resolve(written);
  if (!problem)
    return problem;
  // Which device stands where in the target is free: chosen before planning, as the plan depends on
  // it.
  if (arguments.relabels) {
    Result<std::vector<core::DeviceId>> ids = planner::relabelTargetDevices(*problem);
    if (!ids)
      return ids.error();
    problem->targetMesh = planner::targetMeshOf(*problem);
    problem->targetDevices = *ids;
  }
  return problem;
}

/// Whether the options that say what to plan are there and fit together; names the first that does
/// not.
bool hasProblem(const PlanArguments &arguments) {
  for (const auto &[flag, text] :
       {std::pair<const char *, const std::string &>{"--mesh", arguments.problem.mesh},
        {"--shape", arguments.problem.shape},
        {"--from", arguments.problem.from},
        {"--to", arguments.problem.to}}) {
    if (text.empty()) {
      fmt::print(stderr,
                 "{} is required (or --problems FILE)\nRun with --help for more "
                 "information.\n",
                 flag);
      return false;
    }
  }
  if (arguments.withContents && !arguments.asJson) {
    fmt::print(stderr, "--contents are numbers for machines: give --json (or --problems FILE) too\n"
                       "Run with --help for more information.\n");
    return false;
  }
  return true;
}

Result<void> writeSvg(const std::string &file, const planner::ReshardProblem &problem,
                      const planner::ReshardPlan &plan) {
  Result<std::string> svg = planner::drawSvg(problem, plan);
  if (!svg)
    return svg.error();
  RemovedOnInterrupt guard(file);
  return runtime::writeFile(file, {*svg});
}

Result<void> printJson(const planner::ReshardProblem &problem, planner::Strategy strategy,
                       const PlanArguments &arguments) {
  Result<ordered_json> json = answer(problem, strategy, arguments.withContents);
  if (!json)
    return json.error();
  if (arguments.relabels)
    (*json)["target_device_ids"] = problem.targetDevices;
  fmt::print("{}\n", json->dump(arguments.withContents ? -1 : 2, ' ', false,
                                ordered_json::error_handler_t::replace));
  return {};
}

void printText(const planner::ReshardProblem &problem, const planner::ReshardPlan &plan,
               planner::Strategy strategy, const PlanArguments &arguments) {
  if (arguments.relabels)
    fmt::print("target devices: [{}]\n", fmt::join(problem.targetDevices, ", "));
  fmt::print("{}", planner::toText(problem, plan, strategy));
  if (!arguments.skipsPictures && planner::isSmallEnoughToDraw(problem, plan))
    fmt::print("\n{}", planner::drawPlan(problem, plan));
}

int run(PlanArguments arguments) {
  if (Result<void> read = readLinks(arguments); !read)
    return fail(read.error());
  if (!arguments.problemsFile.empty())
    return planMany(arguments);
  if (!hasProblem(arguments))
    return kUsageError;
  Result<planner::Strategy> strategy = planner::parseStrategy(arguments.strategy);
  if (!strategy) {
    fmt::print(stderr, "--strategy: {}\n", strategy.error().message);
    return kUsageError;
  }
  Result<planner::ReshardProblem> problem = readProblem(arguments);
  if (!problem)
    return fail(problem.error());
  if (arguments.compares)
    return compare(*problem, arguments.asJson);
  Result<planner::ReshardPlan> plan = planner::planVerified(*problem, *strategy);
  if (!plan)
    return fail(plan.error());
  if (!arguments.svgFile.empty()) {
    if (Result<void> written = writeSvg(arguments.svgFile, *problem, *plan); !written)
      return fail(written.error());
  }
  if (!arguments.asJson)
    printText(*problem, *plan, *strategy, arguments);
  else if (Result<void> printed = printJson(*problem, *strategy, arguments); !printed)
    return fail(printed.error());
  return kSuccess;
}

void addProblemOptions(CLI::App &command, PlanArguments &arguments) {
  command.add_option(
      "--mesh", arguments.problem.mesh,
      "mesh, as in x=2,y=3 or '[\"x\"=2, \"y\"=3]', the latter with ', device_ids=[...]' "
      "for an order");
  command.add_option("--shape", arguments.problem.shape,
                     "tensor shape and element type, as in 6x6xf32");
  command.add_option("--from", arguments.problem.from,
                     "sharding before, as in '[{\"x\"}, {\"y\"}]', with ', unreduced={\"z\"}'");
  command.add_option("--to", arguments.problem.to, "sharding after");
  command
      .add_option("--to-mesh", arguments.toMesh, "mesh of the sharding after (default: the same)")
      ->check(notEmpty("a mesh"));
  command
      .add_option("--device-ids", arguments.problem.deviceIds,
                  "physical device ids by mesh position, comma-separated; any distinct numbers")
      ->delimiter(',')
      ->check(wholeNumber<int64_t>(0));
  command
      .add_option("--to-device-ids", arguments.problem.toDeviceIds,
                  "the same for the mesh of the sharding after")
      ->delimiter(',')
      ->check(wholeNumber<int64_t>(0));
  command.add_option("--strategy", arguments.strategy,
                     "optimal (default), uniform, heuristic, dimension-by-dimension, enumeration, "
                     "basis, exchange or greedy");
  command.add_flag("--compare", arguments.compares, "run all strategies side by side");
  command
      .add_option("--memory-limit", arguments.memoryLimit,
                  "what a step's input and output together may have on a device, in bytes, or as "
                  "in 512MiB, 1.5GiB")
      ->check(byteSize());
  addTopologyOption(command, arguments.topology);
  command.add_option("--latency", arguments.links.latency,
                     "seconds per message (default: the topology's, else 0)");
  command.add_option("--bandwidth", arguments.links.bandwidth,
                     "bytes per second (default: the topology's, else 1e10)");
  command.add_option("--link", arguments.problem.links,
                     "latency and bandwidth along an axis, as in x=1e-6:1e9; may be repeated");
  command
      .add_option("--devices-per-host", arguments.links.devicesPerHost,
                  "devices with consecutive ids that share a host (default: the topology's, else "
                  "no hosts)")
      ->check(wholeNumber<int64_t>(0));
  command.add_option("--host-latency", arguments.links.hostLatency,
                     "seconds per message between hosts (default: the topology's, else 0)");
  command.add_option("--host-bandwidth", arguments.links.hostBandwidth,
                     "bytes per second between hosts (default: the topology's, else 1e9)");
  command.add_flag("--relabel", arguments.relabels,
                   "choose the target's device order so that most elements stay");
}

void addOutputOptions(CLI::App &command, PlanArguments &arguments) {
  command
      .add_option("--svg", arguments.svgFile,
                  "write a picture of every state and the tiles that move")
      ->check(notEmpty());
  command.add_flag("--no-pictures", arguments.skipsPictures,
                   "do not draw small tensors before and after each step");
  command.add_flag("--json", arguments.asJson, "print the plan as JSON");
  command.add_flag("--contents", arguments.withContents,
                   "with --json or --problems: the element numbers on every device in every state");
}

} // namespace

void addPlanCommand(CLI::App &app, Command &chosen) {
  CLI::App *command = app.add_subcommand(
      "plan", "Plan how to change a tensor's sharding: steps, bytes, time, memory, pictures");
  auto arguments = std::make_shared<PlanArguments>();
  addProblemOptions(*command, *arguments);
  addOutputOptions(*command, *arguments);
  command->add_option("--problems", arguments->problemsFile,
                      "plan many: a JSON object a line with mesh, shape, from, to and optionally "
                      "to_mesh, strategy, memory_limit_bytes, device_ids, to_device_ids, latency, "
                      "bandwidth, links, devices_per_host, host_latency, host_bandwidth; - for "
                      "standard input; an answer a line");
  command->footer(
      "Every plan is replayed before it is printed. \"x bound\" is received bytes of the slowest\n"
      "device over what no plan can undercut.\n"
      "Optimality is proved (no plan the strategy may choose from costs less) or budget (what the\n"
      "strategy may spend ended without a proof).\n"
      "With --problems, what is wrong with one problem is its answer (key \"error\"), and the "
      "exit\n"
      "code stays 0.\n\n"
      "Examples:\n"
      "  shardwise plan --mesh '[\"x\"=2,\"y\"=3]' --shape 6x6xf32 --from '[{\"x\"},{\"y\"}]' "
      "--to '[{\"y\"},{\"x\"}]'\n"
      "  shardwise plan --mesh '[\"x\"=4]' --shape 8x8xf32 --from '[{\"x\"},{}]' "
      "--to-mesh '[\"y\"=6]' --to '[{},{\"y\"}]'\n"
      "  shardwise plan --mesh '[\"x\"=4,\"y\"=8]' --shape 4096x4096xbf16 --from "
      "'[{\"x\"},{}]' --to '[{},{\"x\"}]' --topology h100-nvlink-ib\n"
      "  shardwise plan --mesh '[\"x\"=2,\"y\"=4]' --shape 64x32x16xf32 --from '[{\"x\"},{},{}]' "
      "--to '[{},{\"x\",\"y\"},{}]' --compare\n"
      "  echo '{\"mesh\": \"[\\\"x\\\"=2]\", \"shape\": \"4xf32\", \"from\": \"[{\\\"x\\\"}]\", "
      "\"to\": \"[{}]\"}' | shardwise plan --problems - --contents");
  command->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

} // namespace shardwise::tools
