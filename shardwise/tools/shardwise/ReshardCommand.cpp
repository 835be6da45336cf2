// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `shardwise reshard`: tensors in files, from one sharding to another.

#include "shardwise/files/ReshardFiles.h"
#include "shardwise/runtime/StartedProcesses.h"
#include "shardwise/terminal/ByteText.h"
#include "shardwise/tools/shardwise/ByteSize.h"
#include "shardwise/tools/shardwise/Commands.h"
#include "shardwise/tools/shardwise/NumberChecks.h"
#include "shardwise/tools/shardwise/PluginFolder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace shardwise::tools {
namespace {

using files::ReshardFilesReport;
using files::ReshardProgress;

struct ReshardArguments {
  std::string input, output;
  files::ReshardFilesOptions options;
  std::string memory = "256MiB";
  std::string fileSize = "5GiB";
  std::string form;
  int64_t timeoutSeconds = 60;
  bool asJson = false;
};

constexpr std::pair<std::string_view, files::FolderForm> kForms[] = {
    {"npy", files::FolderForm::Npy},
    {"safetensors", files::FolderForm::Safetensors},
    {"huggingface", files::FolderForm::HuggingFace}};

/// The signal that asks to stop; 0 if none has come.
std::atomic<int> stopSignal{0};
std::atomic<bool> isStopped{false};

/// While it lives, signals that end the process stop the work instead: what is half done is put
/// away first.
class StopsOnSignal {
public:
  StopsOnSignal() {
    // Only flags are set in the handler: nearly nothing else may be done in one. The workers see it
    // before their next tile.
    for (int signal : kSignals)
      std::signal(signal, [](int number) {
        stopSignal = number;
        isStopped = true;
        // A second one does not wait.
        std::signal(number, SIG_DFL);
      });
    // A file that becomes too large is an error of the write, not an end.
    std::signal(SIGXFSZ, SIG_IGN);
  }
  /// Ends the process as the signal does that has come, if one has: a shell, or a script that waits
  /// for this process, is to see that it was interrupted and not that it failed.
  ~StopsOnSignal() {
    for (int signal : kSignals)
      std::signal(signal, SIG_DFL);
    if (int signal = stopSignal)
      std::raise(signal);
  }

private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
};

/// A line on a terminal, at most ten times a second: bytes, share, rate.
class RateLine {
public:
  RateLine() : isTerminal(::isatty(STDERR_FILENO) != 0), begin(Clock::now()), last(begin) {}
  ~RateLine() { clear(); }

  void show(const ReshardProgress &progress) {
    Clock::time_point now = Clock::now();
    if (!isTerminal || now - last < std::chrono::milliseconds(100))
      return;
    last = now;
    double seconds = std::chrono::duration<double>(now - begin).count();
    auto rate = static_cast<int64_t>(static_cast<double>(progress.doneBytes) / seconds);
    int64_t percent = progress.doneBytes * 100 / std::max<int64_t>(progress.totalBytes, 1);
    fmt::print(stderr, "\r\x1b[K{} of {} ({} %), {}/s", terminal::bytesText(progress.doneBytes),
               terminal::bytesText(progress.totalBytes), percent, terminal::bytesText(rate));
    std::fflush(stderr);
    isShown = true;
  }
  void clear() {
    if (isShown)
      fmt::print(stderr, "\r\x1b[K");
    isShown = false;
  }

private:
  using Clock = std::chrono::steady_clock;
  bool isTerminal;
  bool isShown = false;
  Clock::time_point begin, last;
};

std::string plural(int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string toText(const ReshardFilesReport &report, const std::string &output) {
  if (report.isRecovered)
    return fmt::format("{}: complete; an earlier call had been interrupted at its end\n", output);
  double rate = static_cast<double>(report.tensorBytes) / std::max(report.seconds, 1e-9);
  std::string text = fmt::format(
      "{}: {} in {}, {} in {:.2f} s ({}/s)\n", output, plural(report.numTensors, "tensor"),
      plural(report.numFiles, "file"), terminal::bytesText(report.tensorBytes), report.seconds,
      terminal::bytesText(static_cast<int64_t>(rate)));
  if (report.numResumed > 0)
    text += fmt::format("  {} had been written by an interrupted call\n",
                        plural(report.numResumed, "tensor"));
  if (report.numVerified > 0)
    text += fmt::format("  checksums of {} verified\n", plural(report.numVerified, "input file"));
  if (!report.unusedPatterns.empty())
    text +=
        fmt::format("  no tensor goes by '{}' of the specs: none has such a name, or an earlier "
                    "pattern fits it\n",
                    fmt::join(report.unusedPatterns, "', '"));
  return text;
}

std::string toJson(const ReshardFilesReport &report, const std::string &output) {
  nlohmann::ordered_json json;
  json["output"] = output;
  json["recovered"] = report.isRecovered;
  if (!report.isRecovered) {
    json["from_form"] = files::toString(report.from);
    json["to_form"] = files::toString(report.to);
    json["tensors"] = report.numTensors;
    json["resumed_tensors"] = report.numResumed;
    json["files"] = report.numFiles;
    json["tensor_bytes"] = report.tensorBytes;
    json["read_bytes"] = report.readBytes;
    json["written_bytes"] = report.writtenBytes;
    json["verified_files"] = report.numVerified;
    json["unused_patterns"] = report.unusedPatterns;
  }
  json["seconds"] = report.seconds;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int fail(const Error &error) {
  fmt::print(stderr, "shardwise: error: {}\n", error.message);
  return error.kind == ErrorKind::Internal ? kInternalError : kUserError;
}

/// Does the call, by all processes that mpirun has started. Each of them returns the same, but for
/// the time.
Result<ReshardFilesReport> reshardTogether(const ReshardArguments &arguments,
                                           runtime::Processes &processes) {
  if (processes.count() == 1)
    return files::reshardFiles(arguments.input, arguments.output, arguments.options);
  std::optional<ReshardFilesReport> report;
  auto doShare = [&](runtime::Communicator &communicator) -> Result<void> {
    files::ReshardFilesOptions options = arguments.options;
    options.communicator = &communicator;
    Result<ReshardFilesReport> own =
        files::reshardFiles(arguments.input, arguments.output, options);
    if (!own)
      return own.error();
    report = *own;
    return {};
  };
  Result<void> done = processes.runRanks(processes.count(),
                                         std::chrono::seconds(arguments.timeoutSeconds), doShare);
  if (!done)
    return done.error();
  return *report;
}

int run(ReshardArguments arguments) {
  arguments.options.memoryBytes = *parseByteSize(arguments.memory);
  arguments.options.fileBytes = *parseByteSize(arguments.fileSize);
  arguments.options.isStopped = &isStopped;
  for (const auto &[name, form] : kForms)
    if (name == arguments.form)
      arguments.options.form = form;
  StopsOnSignal stops;
  auto processes = runtime::startedProcesses(pluginFolder());
  if (!processes)
    return fail(processes.error());
  RateLine line;
  // The first process tells of its share.
  if ((*processes)->index() == 0)
    arguments.options.onProgress = [&](const ReshardProgress &progress) { line.show(progress); };
  Result<ReshardFilesReport> report = reshardTogether(arguments, **processes);
  line.clear();
  if (!(*processes)->speaks())
    return report ? kSuccess : kUserError;
  if (!report)
    return fail(report.error());
  fmt::print("{}", arguments.asJson ? toJson(*report, arguments.output)
                                    : toText(*report, arguments.output));
  return kSuccess;
}

void addShardingOptions(CLI::App &command, files::ReshardFilesOptions &options) {
  command.add_option(
      "--mesh", options.mesh,
      "mesh of the input, as in x=2,y=3 or '[\"x\"=2, \"y\"=3]'; not needed where the input "
      "has an index.json");
  command.add_option("--from", options.from,
                     "sharding of the input, as in '[{\"x\"}, {\"y\"}]'; likewise");
  command.add_option("--to", options.to, "sharding of the output");
  command.add_option("--to-mesh", options.toMesh, "mesh of the output (default: the input's)");
  command
      .add_option("--spec", options.specs,
                  "JSON that says by patterns of names how tensors are cut: {\"tensors\": "
                  "[{\"name\": \"*.weight\", \"from\": ..., \"to\": ..., \"segments\": ...}, ...]}")
      ->check(notEmpty());
}

} // namespace

void addReshardCommand(CLI::App &app, Command &chosen) {
  CLI::App *command = app.add_subcommand(
      "reshard", "Rewrite tensors in files from one sharding to another, within a memory limit");
  auto arguments = std::make_shared<ReshardArguments>();
  command
      ->add_option("IN", arguments->input,
                   "a .npy or .safetensors file with whole tensors; a folder with one for each "
                   "device, 0.npy, 1.npy, ... by mesh position, and index.json; or a folder in "
                   "Hugging Face's form, with model.safetensors.index.json")
      ->required()
      ->check(notEmpty());
  command
      ->add_option("OUT", arguments->output,
                   "the same; replaced when all of the new is there, and may be IN")
      ->required()
      ->check(notEmpty());
  addShardingOptions(*command, arguments->options);
  command
      ->add_option("--memory", arguments->memory,
                   "what buffers may take, in bytes, or as in 64MiB, 1.5GiB (default 256MiB)")
      ->check(byteSize());
  command
      ->add_option("--form", arguments->form,
                   "files of a folder: npy or safetensors, for each device (default: as those of "
                   "IN), or huggingface, with whole tensors")
      ->check(CLI::IsMember({"npy", "safetensors", "huggingface"}));
  command
      ->add_option("--file-size", arguments->fileSize,
                   "of --form huggingface: what a file's tensors may take (default 5GiB)")
      ->check(byteSize());
  command->add_flag("--checksum", arguments->options.withChecksums,
                    "verify the checksums that the input has, and write those of the output");
  command->add_flag("--sync", arguments->options.isSynced,
                    "wait until the output is on the disk before it gets its name");
  command
      ->add_option("--timeout", arguments->timeoutSeconds,
                   "seconds that a process waits for the others, under mpirun (default 60)")
      ->check(wholeNumber<int64_t>(1));
  command->add_flag("--json", arguments->asJson, "print the report as JSON");
  command->footer(
      "What is at OUT stays as it is until all of the new is there. If the command is interrupted, "
      "killed, or\nthe disk is full, the same command ends the work later. Started by mpirun -n N, "
      "N processes "
      "divide\nthe work.\n\n"
      "Examples:\n"
      "  shardwise reshard whole.npy shards --mesh '[\"x\"=4]' --to '[{\"x\"}, {}]'\n"
      "  shardwise reshard shards columns --to '[{}, {\"x\"}]'\n"
      "  shardwise reshard shards more --to-mesh '[\"a\"=3, \"b\"=2]' --to '[{\"a\"}, {\"b\"}]'\n"
      "  shardwise reshard shards whole.safetensors\n"
      "  shardwise reshard model model-4 --mesh '[\"x\"=4]' --spec specs.json\n"
      "  shardwise reshard shards model-1 --form huggingface --file-size 2GiB");
  command->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

} // namespace shardwise::tools
