// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The journal is lines, of which a last one without its end does not count:
//
//     shardwise reshard 1
//     request DIGEST
//     input DIGEST
//     files                once all files are there in full length, with their headers
//     without-checksum     NAME gets no checksum: that of the file before it has to go
//     commit INODE NAME    from here on only names change; INODE is that of out.partial/files
//
// A folder and its successor change places in one step where the file system can do that.
//
// A call may be killed between any two system calls. What the next one finds is one of these:
//   1. No out.partial, or one without `files` in the journal: nothing of use has been written.
//   2. `files`, no `commit`: the old output is at `out`, whole. If the work is the same, what the
//      done lists name is kept, else everything is removed and begun anew.
//   3. `commit`, and the folder with INODE is not at `out`: the new names are given now. With a
//      file, NAME is still in out.partial/files.
//   4. `commit`, and INODE is at `out`, or NAME is no longer in out.partial/files: the names are
//      right. Only out.partial is left to remove; the old folder may be in it.
// So a commit is what `finishCommit` makes of the journal, the first time and after any crash: each
// of its steps asks whether it has been done, or does no harm twice.

#include "shardwise/files/Staging.h"

#include "shardwise/files/Checksum.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace shardwise::files {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "shardwise reshard 1";
constexpr int64_t kLongestJournal = 1 << 16;

std::string stagingPath(const std::string &output) {
  return output + ".partial";
}

std::string child(const std::string &folder, std::string_view name) {
  return fmt::format("{}/{}", folder, name);
}

/// 0 if there is none.
uint64_t inodeOf(const std::string &path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<uint64_t>(status.st_ino) : 0;
}

/// What a journal says.
struct Journal {
  StagedWork work;
  bool isOurs = false;
  bool hasFiles = false;
  bool isWithoutChecksum = false;
  uint64_t commitInode = 0; ///< 0 before the commit.
  std::string commitName;   ///< Empty for a folder.
};

Journal parseJournal(const std::string &text) {
  Journal journal;
  // Without its end, a line may be cut off: `commit 12` of `commit 1234 a.npy`.
  std::istringstream lines(text.substr(0, text.rfind('\n') + 1));
  std::string line;
  journal.isOurs = std::getline(lines, line) && line == kMagic;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "request")
      words >> journal.work.request;
    else if (key == "input")
      words >> journal.work.input;
    else if (key == "files")
      journal.hasFiles = true;
    else if (key == "without-checksum")
      journal.isWithoutChecksum = true;
    // The name is the rest of the line behind one blank: it may have blanks itself.
    else if (key == "commit" && words >> journal.commitInode && words.get())
      std::getline(words, journal.commitName);
  }
  return journal;
}

Result<void> append(int descriptor, const std::string &text, const std::string &path) {
  std::string_view rest = text;
  while (!rest.empty()) {
    ssize_t count = ::write(descriptor, rest.data(), rest.size());
    if (count < 0 && errno != EINTR)
      return systemError("write", path);
    rest.remove_prefix(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  }
  return {};
}

/// Leaves the first `bytes` of a file, so that the next line does not continue one without its end.
Result<void> cutOff(int descriptor, size_t bytes, const std::string &path) {
  return ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0 ? Result<void>()
                                                                 : systemError("write", path);
}

/// Removes the folder of a staging. The journal goes last: without it nobody knows whose it is.
void removeStaging(const std::string &path) {
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(path, error))
    if (entry.path().filename() != "journal")
      fs::remove_all(entry.path(), error);
  fs::remove(child(path, "journal"), error);
  fs::remove(path, error);
}

/// Gives the output its name, whatever of that has been done before.
Result<void> finishCommit(const std::string &output, const Journal &journal) {
  std::string path = stagingPath(output);
  std::string files = child(path, "files");
  if (!journal.commitName.empty()) {
    // That the new checksum is not in `files` proves nothing: it may be at its place already.
    if (journal.isWithoutChecksum)
      std::remove((output + kChecksumSuffix).c_str());
    for (const std::string &suffix : {std::string(), std::string(kChecksumSuffix)}) {
      std::string made = child(files, journal.commitName + suffix);
      if (inodeOf(made) && std::rename(made.c_str(), (output + suffix).c_str()) != 0)
        return systemError("write", output);
    }
  } else if (inodeOf(output) != journal.commitInode && inodeOf(files) == journal.commitInode) {
    // Succeeds if there is nothing at `output`, or an empty folder.
    if (std::rename(files.c_str(), output.c_str()) != 0) {
      // One with files: both change places, or where the file system cannot do that, the old one
      // goes into out.partial first. Killed in between, `output` is missing until the next call,
      // which finds state 3.
      if (::renameat2(AT_FDCWD, files.c_str(), AT_FDCWD, output.c_str(), RENAME_EXCHANGE) != 0 &&
          (std::rename(output.c_str(), child(path, "old").c_str()) != 0 ||
           std::rename(files.c_str(), output.c_str()) != 0))
        return systemError("write", output);
    }
  }
  removeStaging(path);
  return {};
}

struct Locked {
  int descriptor = -1;
  Journal journal;
};

/// Opens and locks the journal of `path`. -1 with no error if there is none and `flags` do not make
/// one.
Result<Locked> lockJournal(const std::string &path, int flags) {
  std::string name = child(path, "journal");
  int descriptor = ::open(name.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666);
  if (descriptor < 0)
    return errno == ENOENT ? Result<Locked>(Locked{}) : systemError("write", name);
  struct stat status{};
  bool isLocked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  // Whoever had the lock may have removed the file since it was opened here.
  if (!isLocked || ::fstat(descriptor, &status) != 0 || status.st_nlink == 0) {
    ::close(descriptor);
    return invalid(fmt::format("another process is writing '{}'; wait until it has ended",
                               path.substr(0, path.rfind(".partial"))));
  }
  Result<std::string> text = readText(name, kLongestJournal);
  if (!text) {
    ::close(descriptor);
    return text.error();
  }
  Locked locked{descriptor, parseJournal(*text)};
  // A beginning of the first line is ours as well: its writer was killed. Also no text at all, of a
  // file that was only just made.
  if (!locked.journal.isOurs && !kMagic.starts_with(*text)) {
    ::close(descriptor);
    return invalid(fmt::format("'{}' is in the way: it is not what an interrupted call has left; "
                               "remove it, or give it another name",
                               path));
  }
  if (size_t end = text->rfind('\n') + 1; locked.journal.isOurs && end < text->size())
    if (Result<void> cut = cutOff(descriptor, end, name); !cut) {
      ::close(descriptor);
      return cut.error();
    }
  return locked;
}

} // namespace

std::string digest(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (char character : text)
    hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

Staging::Staging(std::string output) : output(std::move(output)), path(stagingPath(this->output)) {}

Staging::Staging(Staging &&other) noexcept
    : output(std::move(other.output)), path(std::move(other.path)), done(std::move(other.done)),
      journal(std::exchange(other.journal, -1)), doneList(std::exchange(other.doneList, -1)),
      hasFiles(other.hasFiles), isKept(other.isKept) {}

Staging::~Staging() {
  if (journal >= 0 && !isKept)
    discard();
  for (int descriptor : {journal, doneList})
    if (descriptor >= 0)
      ::close(descriptor);
}

Result<bool> Staging::recover(const std::string &output, const std::string &request) {
  std::string path = stagingPath(output);
  // Under the lock, so that the call whose commit it is cannot be in the middle of it.
  Result<Locked> locked = lockJournal(path, 0);
  if (!locked)
    return locked.error();
  if (locked->descriptor < 0)
    return false;
  Result<void> finished;
  bool isCommitted = locked->journal.commitInode != 0;
  if (isCommitted)
    finished = finishCommit(output, locked->journal);
  ::close(locked->descriptor);
  if (!finished)
    return finished.error();
  return isCommitted && locked->journal.work.request == request;
}

Result<Staging> Staging::begin(const std::string &output, const StagedWork &work) {
  Staging staging(output);
  // Somebody's own folder of this name is left alone: ours has a journal, or was killed empty.
  if (::mkdir(staging.path.c_str(), 0777) != 0 && errno != EEXIST)
    return systemError("make the folder", staging.path);
  std::error_code error;
  if (!inodeOf(child(staging.path, "journal")) && !fs::is_empty(staging.path, error))
    return invalid(fmt::format("'{}' is in the way: it is not what an interrupted call has left; "
                               "remove it, or give it another name",
                               staging.path));
  Result<Locked> locked = lockJournal(staging.path, O_CREAT);
  if (!locked)
    return locked.error();
  staging.journal = locked->descriptor;
  const Journal &found = locked->journal;
  // The digest of the input has times and inodes: tensors that were written of a file that is
  // another one now do not count.
  staging.hasFiles =
      found.hasFiles && found.work.request == work.request && found.work.input == work.input;
  if (!staging.hasFiles)
    if (Result<void> started = staging.startAnew(work); !started)
      return started.error();
  if (Result<void> opened = staging.openDoneList(0); !opened)
    return opened.error();
  return staging;
}

Result<Staging> Staging::join(const std::string &output, int64_t rank) {
  Staging staging(output);
  if (Result<void> opened = staging.openDoneList(rank); !opened)
    return opened.error();
  return staging;
}

Result<void> Staging::startAnew(const StagedWork &work) {
  // The journal is emptied first, or a call killed in here would leave one that tells of files
  // which are gone. It is not removed: it is locked, and beside a new one a second process would
  // get in.
  if (::ftruncate(journal, 0) != 0)
    return systemError("write", child(path, "journal"));
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(path, error))
    if (entry.path().filename() != "journal")
      fs::remove_all(entry.path(), error);
  if (::mkdir(child(path, "files").c_str(), 0777) != 0)
    return systemError("make the folder", child(path, "files"));
  return append(journal,
                fmt::format("{}\nrequest {}\ninput {}\n", kMagic, work.request, work.input), path);
}

Result<void> Staging::openDoneList(int64_t rank) {
  std::string name = child(path, fmt::format("done.{}", rank));
  doneList = ::open(name.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (doneList < 0)
    return systemError("write", name);
  Result<std::string> text = readText(name, INT64_C(1) << 30);
  if (!text)
    return text.error();
  size_t end = text->rfind('\n') + 1;
  // A number whose line has no end may be the beginning of a longer one.
  std::istringstream lines(text->substr(0, end));
  for (size_t tensor = 0; lines >> tensor;)
    done.insert(tensor);
  return end == text->size() ? Result<void>() : cutOff(doneList, end, name);
}

Result<void> Staging::markDone(size_t tensor) {
  return append(doneList, fmt::format("{}\n", tensor), path);
}

Result<FileSet> Staging::makeFiles(const OutputPlan &plan) {
  if (hasFiles)
    return openFiles(plan);
  FileSet files;
  for (const PlannedFile &planned : plan.files) {
    Result<FileNumber> file = files.make(child(path, "files/" + planned.name), planned.bytes);
    if (!file)
      return file.error();
    if (Result<void> written =
            files.write(*file, 0, std::as_bytes(std::span<const char>(planned.header)));
        !written)
      return written.error();
  }
  if (Result<void> written = append(journal, "files\n", path); !written)
    return written.error();
  hasFiles = true;
  return files;
}

Result<FileSet> Staging::openFiles(const OutputPlan &plan) const {
  FileSet files;
  for (const PlannedFile &planned : plan.files) {
    Result<FileNumber> file = files.openMade(child(path, "files/" + planned.name));
    if (!file)
      return file.error();
    if (files.bytes(*file) != planned.bytes)
      return invalid(fmt::format("'{}' has {} bytes, expected {}: somebody has changed what an "
                                 "interrupted call has left; remove '{}'",
                                 files.path(*file), files.bytes(*file), planned.bytes, path));
  }
  return files;
}

Result<void> Staging::writeText(const std::string &name, const std::string &text) const {
  FileSet files;
  Result<FileNumber> file = files.make(child(path, "files/" + name), 0);
  if (!file)
    return file.error();
  return files.write(*file, 0, std::as_bytes(std::span<const char>(text)));
}

Result<void> Staging::commitFolder() {
  return commitFile("");
}

Result<void> Staging::commitFile(const std::string &name) {
  Journal entry;
  entry.commitInode = inodeOf(child(path, "files"));
  entry.commitName = name;
  entry.isWithoutChecksum =
      !name.empty() && !inodeOf(child(path, "files/" + name + kChecksumSuffix));
  std::string lines =
      fmt::format("{}commit {} {}\n", entry.isWithoutChecksum ? "without-checksum\n" : "",
                  entry.commitInode, name);
  // A commit that is not written to its end, as on a full disk, does not count, and all is removed.
  if (Result<void> written = append(journal, lines, path); !written)
    return written;
  // From here on a second call completes it.
  isKept = true;
  return finishCommit(output, entry);
}

void Staging::discard() {
  removeStaging(path);
  isKept = true;
}

} // namespace shardwise::files
