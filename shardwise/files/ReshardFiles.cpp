// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Read what is there, plan what will be, check both, and only then write. In order:
//   1. an earlier call's names are put right, if it was killed at that (Staging::recover); first,
//      as the input may be what it was renaming;
//   2. all headers of the input are read and checked, and the whole output is planned: file names,
//      headers, the place of every array. With this, every error that can be known is known;
//   3. the files are made in out.partial, in full length;
//   4. tiles are moved, tensors that are complete are written down;
//   5. index and checksums are written, and the output gets its name.
// Of several ranks, each does 1 and 2 alike, the first one does 3 and 5, all do their share of 4.
// They meet between these, so that an error of one in 2 ends the call before the first makes a
// file.

#include "shardwise/files/ReshardFiles.h"

#include "shardwise/core/Text.h"
#include "shardwise/files/Checksum.h"
#include "shardwise/files/CutRules.h"
#include "shardwise/files/FileSet.h"
#include "shardwise/files/MoveTensors.h"
#include "shardwise/files/OutputPlace.h"
#include "shardwise/files/OutputPlan.h"
#include "shardwise/files/Ranks.h"
#include "shardwise/files/Staging.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

namespace shardwise::files {
namespace {

namespace fs = std::filesystem;

/// What each rank moves before it meets the others. Without such meetings a rank whose disk is
/// slower would come to the last one later than the others wait (--timeout).
constexpr int64_t kRoundBytes = int64_t{256} << 20;
constexpr int64_t kLongestSpecs = int64_t{64} << 20;

/// What was asked for, for `Staging`: all that changes a byte of the output or of who writes it.
/// Not
/// --memory, which a second call may change.
std::string requestDigest(const std::string &input, const std::string &place,
                          const std::string &specsText, const ReshardFilesOptions &options) {
  std::error_code error;
  return digest(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}",
                            fs::absolute(input, error).string(), place, options.mesh, options.from,
                            options.toMesh, options.to, specsText, static_cast<int>(options.form),
                            options.fileBytes, options.withChecksums,
                            Ranks(options.communicator).size()));
}

/// Which files are read: others of the same name are other work. What a former call has written is
/// trusted as long as the machine has not been started anew since, unless it was synced: a crash of
/// the machine may have kept the list of tensors that are done, and lost their elements.
std::string inputDigest(const FileSet &files, bool isSynced) {
  std::string text;
  for (FileNumber file = 0; file < files.size(); ++file) {
    struct stat status{};
    ::stat(files.path(file).c_str(), &status);
    text += fmt::format("{} {} {} {}.{}\n", files.path(file), status.st_ino, status.st_size,
                        status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  }
  std::string boot;
  if (!isSynced)
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  return digest(text + boot);
}

/// Returns the only tensor, which a .npy file needs.
Result<const StoredTensor *> onlyTensor(const StoredTensors &stored) {
  if (stored.tensors.size() == 1)
    return &stored.tensors.front();
  return invalid(fmt::format("a .npy file has one tensor, the input has {}; write .safetensors",
                             stored.tensors.size()));
}

Result<OutputPlan> planDevices(const StoredTensors &stored, FolderForm form,
                               const CutRules &rules) {
  std::vector<TensorCut> cuts;
  for (const StoredTensor &tensor : stored.tensors) {
    Result<TensorCut> cut = rules.toCut(tensor);
    if (!cut)
      return cut.error();
    cuts.push_back(std::move(*cut));
  }
  // Before files are planned: of a mesh with a mistyped size, the plan alone is too large.
  if (!cuts.empty())
    if (Result<void> checked = checkNumFiles(cuts.front().mesh.numDevices()); !checked)
      return checked.error();
  bool isNpy = stored.form == FileForm::Npy || stored.form == FileForm::NpyPerDevice;
  if (form == FolderForm::Safetensors || (form == FolderForm::AsInput && !isNpy)) {
    if (cuts.empty())
      return invalid("the input has no tensors, so there is nothing to cut");
    return planSafetensorsFolder(stored, cuts);
  }
  Result<const StoredTensor *> tensor = onlyTensor(stored);
  if (!tensor)
    return tensor.error();
  return planNpyFolder(**tensor, cuts.front());
}

/// Fails if something is asked for that an output with whole tensors cannot be.
Result<void> checkWhole(const std::string &name, bool isFile, const CutRules &rules,
                        const ReshardFilesOptions &options) {
  if (Result<bool> cuts = rules.cutsOutput(); !cuts)
    return cuts.error();
  else if (*cuts)
    return invalid(
        fmt::format("the output {} has whole tensors, but --to is {}; leave --to out, or "
                    "give a folder with a file for each device",
                    isFile ? fmt::format("'{}'", name) : "in Hugging Face's form", options.to));
  if (isFile && options.form != FolderForm::AsInput)
    return invalid(fmt::format("--form says what files of a folder are, but the output '{}' is one "
                               "file; leave --form out, or give a folder",
                               name));
  return {};
}

Result<OutputPlan> planOutput(const StoredTensors &stored, const std::string &place,
                              const CutRules &rules, const ReshardFilesOptions &options) {
  std::string name = fs::path(place).filename().string();
  bool isFile =
      fs::path(place).extension() == ".npy" || fs::path(place).extension() == ".safetensors";
  if (isFile || options.form == FolderForm::HuggingFace)
    if (Result<void> checked = checkWhole(name, isFile, rules, options); !checked)
      return checked.error();
  if (fs::path(place).extension() == ".npy") {
    Result<const StoredTensor *> tensor = onlyTensor(stored);
    if (!tensor)
      return tensor.error();
    return planNpyFile(name, **tensor);
  }
  if (fs::path(place).extension() == ".safetensors")
    return planSafetensorsFile(name, stored);
  if (options.form == FolderForm::HuggingFace)
    return planHuggingFace(stored, options.fileBytes);
  return planDevices(stored, options.form, rules);
}

/// Returns the checksum that a file of `stored` should have: that of the index, or of a file beside
/// it. None if neither has one.
Result<std::optional<uint32_t>> expectedChecksum(const StoredTensors &stored, FileNumber file) {
  const std::string &path = stored.files.path(file);
  if (auto known = stored.checksums.find(path); known != stored.checksums.end())
    return std::optional(known->second);
  std::error_code error;
  if (isPerDevice(stored.form) || !fs::exists(path + kChecksumSuffix, error))
    return std::optional<uint32_t>();
  Result<std::string> text = readText(path + kChecksumSuffix, 1 << 16);
  if (!text)
    return text.error();
  Result<uint32_t> checksum = parseChecksum(text->substr(0, text->find(' ')));
  if (!checksum)
    return invalid(fmt::format("'{}{}': {}", path, kChecksumSuffix, checksum.error().message));
  return std::optional(*checksum);
}

/// Compares the files that are read with their checksums. Returns the number of files compared.
Result<int64_t> verifyInput(const StoredTensors &stored, const std::atomic<bool> *isStopped) {
  int64_t numVerified = 0;
  for (FileNumber file = 0; file < stored.files.size(); ++file) {
    Result<std::optional<uint32_t>> expected = expectedChecksum(stored, file);
    if (!expected)
      return expected.error();
    if (!*expected)
      continue;
    Result<uint32_t> found = fileChecksum(stored.files, file, isStopped);
    if (!found)
      return found.error();
    if (*found != **expected)
      return invalid(fmt::format("'{}' is damaged: its checksum is {:08x}, expected {:08x}",
                                 stored.files.path(file), *found, **expected));
    ++numVerified;
  }
  return numVerified;
}

/// The output of a call, from its first file to its name.
class Output {
public:
  Output(const StoredTensors &stored, OutputPlan plan, const ReshardFilesOptions &options,
         Ranks &ranks, ReshardFilesReport &report)
      : stored(stored), plan(std::move(plan)), options(options), ranks(ranks), report(report),
        share{ranks.rank(), ranks.size(), static_cast<int64_t>(this->plan.files.size())} {}

  /// Makes the files, or opens those that the first rank has made.
  Result<FileSet> openFiles(Staging &staging) const {
    if (!ranks.isFirst())
      return staging.openFiles(plan);
    Result<FileSet> files = staging.makeFiles(plan);
    if (files)
      return files;
    return invalid(
        fmt::format("{}; the output takes {} bytes", files.error().message, totalFileBytes()));
  }

  Result<void> write(Staging &staging, const FileSet &files) {
    if (Result<void> made = makeMoves(staging); !made)
      return made;
    Result<void> written = moveAll(staging, files);
    if (written)
      written = finish(staging, files);
    // Tensors that are complete are not to be written again. Of the only tensor of a .npy file
    // there is nothing to go on from, so out.partial goes.
    if (written || numWritten + report.numResumed == 0 || plan.tensors.size() == 1)
      return written;
    staging.keep();
    return Error{
        written.error().kind,
        fmt::format("{}; {} of {} tensors are written, in '{}': the same call goes on from "
                    "there",
                    written.error().message, numWritten + report.numResumed, plan.tensors.size(),
                    staging.folder())};
  }

private:
  Result<void> makeMoves(const Staging &staging) {
    for (size_t tensor = 0; tensor < plan.tensors.size(); ++tensor) {
      Result<TensorMove> move = makeMove(stored.tensors[tensor], plan.tensors[tensor]);
      if (!move)
        return move.error();
      int64_t bytes = byteCount(plan.tensors[tensor].format, plan.tensors[tensor].shape);
      report.tensorBytes += bytes;
      // Its files have it. The move is made all the same: that checks the cut.
      if (staging.doneTensors().contains(tensor)) {
        ++report.numResumed;
        continue;
      }
      progress.totalBytes += bytes;
      keepShare(*move, share);
      moves.push_back(std::move(*move));
      numbers.push_back(tensor);
    }
    return {};
  }

  int64_t totalFileBytes() const {
    int64_t bytes = 0;
    for (const PlannedFile &file : plan.files)
      bytes += file.bytes;
    return bytes;
  }

  Result<void> moveAll(Staging &staging, const FileSet &files) {
    MoveOptions how;
    how.memoryBytes = options.memoryBytes;
    how.isStopped = options.isStopped;
    how.share = share;
    // From what all ranks know, so that all have the same number: a rank with fewer tiles, or with
    // more tensors that were done before, meets the others just as often.
    how.numRounds = 1 + report.tensorBytes / (ranks.size() * kRoundBytes);
    how.onRound = [&] { return ranks.meet(); };
    how.onProgress = [&](int64_t bytes) {
      progress.doneBytes += bytes;
      if (options.onProgress)
        options.onProgress(progress);
    };
    how.onTensor = [&](size_t move) {
      ++numWritten;
      return staging.markDone(numbers[move]);
    };
    Result<MovedBytes> moved =
        moveTensors(moves, stored.files, files, runtime::WorkerThreads::shared(), how);
    if (!moved)
      return moved.error();
    return addUp(*moved);
  }

  /// Adds up what all ranks have moved.
  Result<void> addUp(const MovedBytes &own) {
    Result<std::vector<std::string>> texts =
        ranks.exchange(fmt::format("{} {} {}", own.read, own.written, report.numResumed));
    if (!texts)
      return texts.error();
    for (const std::string &text : *texts) {
      MovedBytes moved;
      int64_t numResumed = 0;
      std::istringstream(text) >> moved.read >> moved.written >> numResumed;
      report.readBytes += moved.read;
      report.writtenBytes += moved.written;
      // A tensor is complete if all have written their part.
      report.numResumed = std::min(report.numResumed, numResumed);
    }
    return {};
  }

  /// All that is left when the elements are there.
  Result<void> finish(Staging &staging, const FileSet &files) {
    if (options.isSynced)
      if (Result<void> synced = files.sync(); !synced)
        return synced;
    if (Result<void> met = ranks.meet(); !met)
      return met;
    if (ranks.isFirst())
      if (Result<void> named = giveName(staging, files); !named)
        return named;
    return ranks.meet();
  }

  /// By the first rank, when all elements are in the page cache. The checksums are of whole files,
  /// as others compute them, and tiles come in any order: so each file is read once more.
  Result<void> giveName(Staging &staging, const FileSet &files) {
    Checksums checksums;
    if (options.withChecksums)
      for (FileNumber file = 0; file < files.size(); ++file) {
        Result<uint32_t> checksum = fileChecksum(files, file, options.isStopped);
        if (!checksum)
          return checksum.error();
        checksums[plan.files[file].name] = *checksum;
      }
    if (Result<void> written = writeIndex(staging, std::move(checksums)); !written)
      return written;
    return isFolder(plan.form) ? staging.commitFolder()
                               : staging.commitFile(plan.files.front().name);
  }

  /// Writes what tells of the files with elements.
  Result<void> writeIndex(const Staging &staging, Checksums checksums) {
    if (plan.text)
      if (Result<void> written = staging.writeText(plan.text->name, plan.text->text); !written)
        return written;
    if (plan.index) {
      plan.index->checksums = std::move(checksums);
      return staging.writeText(kIndexName, toText(*plan.index));
    }
    for (const auto &[name, checksum] : checksums)
      if (Result<void> written = staging.writeText(name + kChecksumSuffix,
                                                   fmt::format("{:08x}  {}\n", checksum, name));
          !written)
        return written;
    return {};
  }

  const StoredTensors &stored;
  OutputPlan plan;
  const ReshardFilesOptions &options;
  Ranks &ranks;
  ReshardFilesReport &report;
  RankShare share;
  std::vector<TensorMove> moves;
  std::vector<size_t> numbers; ///< Of the tensor of each move.
  ReshardProgress progress;
  int64_t numWritten = 0;
};

/// Reads the specs. Returns their text, too.
Result<std::string> readSpecs(const ReshardFilesOptions &options, CutSpecs &specs) {
  Result<std::string> text = options.specsText;
  if (!options.specs.empty())
    text = readText(options.specs, kLongestSpecs);
  if (!text || (options.specs.empty() && text->empty()))
    return text;
  Result<CutSpecs> parsed = parseCutSpecs(*text, options.specs.empty() ? "specs" : options.specs);
  if (!parsed)
    return parsed.error();
  specs = std::move(*parsed);
  return text;
}

/// Opens the input and checks it against what is written of it.
Result<StoredTensors> openInput(const std::string &input, const CutRules &rules) {
  Result<StoredTensors> stored = openTensors(
      input, [&] { return rules.fromMesh(); },
      [&](const std::string &name, int64_t rank) { return rules.fromCut(name, rank); });
  if (!stored)
    return stored;
  for (const StoredTensor &tensor : stored->tensors)
    if (Result<void> checked = rules.checkStored(tensor); !checked)
      return checked.error();
  return stored;
}

/// Ends what an interrupted call has begun to name. Returns whether that was this work.
Result<bool> recover(const std::string &place, const std::string &request, Ranks &ranks) {
  // The others must not read the input while the first one still renames it.
  Result<bool> isComplete = false;
  if (ranks.isFirst())
    isComplete = Staging::recover(place, request);
  if (!isComplete)
    return isComplete;
  Result<std::vector<std::string>> texts = ranks.exchange(*isComplete ? "complete" : "");
  if (!texts)
    return texts.error();
  return texts->front() == "complete";
}

/// The first rank goes on when it has made the files, the others when they hear of that.
Result<Staging> beginOrJoin(const std::string &place, const StagedWork &work, Ranks &ranks) {
  if (ranks.isFirst())
    return Staging::begin(place, work);
  if (Result<void> met = ranks.meet(); !met)
    return met.error();
  return Staging::join(place, ranks.rank());
}

Result<ReshardFilesReport> reshardTo(const std::string &input, const std::string &place,
                                     const ReshardFilesOptions &options) {
  WrittenCuts cuts{options.mesh, options.from, options.toMesh, options.to, {}};
  Result<std::string> specsText = readSpecs(options, cuts.specs);
  if (!specsText)
    return specsText.error();
  Result<CutRules> rules = CutRules::parse(std::move(cuts));
  if (!rules)
    return rules.error();
  ReshardFilesReport report;
  Ranks ranks(options.communicator);
  std::string request = requestDigest(input, place, *specsText, options);
  Result<bool> isComplete = recover(place, request, ranks);
  if (!isComplete)
    return isComplete.error();
  if (*isComplete) {
    report.isRecovered = true;
    return report;
  }
  Result<StoredTensors> stored = openInput(input, *rules);
  if (!stored)
    return stored.error();
  Result<OutputPlan> plan = planOutput(*stored, place, *rules, options);
  if (!plan)
    return plan.error();
  report.unusedPatterns = rules->unusedPatterns(stored->tensors);
  report.from = stored->form;
  report.to = plan->form;
  report.numTensors = static_cast<int64_t>(plan->tensors.size());
  report.numFiles = static_cast<int64_t>(plan->files.size());
  if (Result<void> checked = checkOutputPlace(place, plan->form); !checked)
    return checked.error();
  if (options.withChecksums) {
    Result<int64_t> verified = verifyInput(*stored, options.isStopped);
    if (!verified)
      return verified.error();
    report.numVerified = *verified;
  }
  Output output(*stored, std::move(*plan), options, ranks, report);
  // All inputs are right; then the first rank makes the files.
  if (Result<void> met = ranks.meet(); !met)
    return met.error();
  StagedWork work{request, inputDigest(stored->files, options.isSynced)};
  Result<Staging> staging = beginOrJoin(place, work, ranks);
  if (!staging)
    return staging.error();
  // The first rank has the lock on out.partial from here on, and meets the others only when all
  // files are there: these may not open files that are still being made.
  Result<FileSet> files = output.openFiles(*staging);
  if (!files)
    return files.error();
  if (ranks.isFirst())
    if (Result<void> met = ranks.meet(); !met)
      return met.error();
  if (Result<void> written = output.write(*staging, *files); !written)
    return written.error();
  return report;
}

} // namespace

Result<ReshardFilesReport> reshardFiles(const std::string &input, const std::string &output,
                                        const ReshardFilesOptions &options) {
  auto begin = std::chrono::steady_clock::now();
  Result<std::string> place = outputPlace(output);
  if (!place)
    return place.error();
  Result<ReshardFilesReport> report = reshardTo(input, *place, options);
  if (report)
    report->seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

} // namespace shardwise::files
