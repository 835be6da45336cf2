// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output that is written beside its place and gets its name when it is complete. What has been done
// is written down, so that a second call goes on where the first one was killed.
//
//     out.partial/files/...   what will be `out`, or what was, once they have changed places
//     out.partial/journal     for whom this is, and how far it has come; locked by who writes
//     out.partial/done.0      the tensors that rank 0 has written

#pragma once

#include "shardwise/files/FileSet.h"
#include "shardwise/files/OutputPlan.h"

#include <cstdint>
#include <set>
#include <string>

namespace shardwise::files {

/// Returns a short name of `text`.
std::string digest(std::string_view text);

/// What an output is made of: both digests are the same if a call may go on with what another one
/// began.
struct StagedWork {
  std::string request; ///< What was asked for.
  std::string input;   ///< The files that are read.
};

/// Where the files of an output are until all are there.
class Staging {
public:
  /// Ends a call that was killed while `output` got its name. Returns whether that did `request`.
  static Result<bool> recover(const std::string &output, const std::string &request);

  /// Begins the output, or goes on with one of the same work. Of other work, what is there is
  /// removed. Fails if another process is at it.
  static Result<Staging> begin(const std::string &output, const StagedWork &work);
  /// The same for a rank other than 0, after rank 0 has made the files.
  static Result<Staging> join(const std::string &output, int64_t rank);

  Staging(Staging &&other) noexcept;
  Staging &operator=(Staging &&) = delete;
  ~Staging();

  /// Tensors that need not be written again.
  const std::set<size_t> &doneTensors() const { return done; }
  Result<void> markDone(size_t tensor);

  /// Makes the files, with their headers, or opens those that a former call has made.
  Result<FileSet> makeFiles(const OutputPlan &plan);
  /// Opens files that were made.
  Result<FileSet> openFiles(const OutputPlan &plan) const;
  /// Writes a small file.
  Result<void> writeText(const std::string &name, const std::string &text) const;

  /// Puts the output, a folder or the file called `name`, in its place.
  Result<void> commitFolder();
  Result<void> commitFile(const std::string &name);
  /// Removes all of it.
  void discard();
  /// Leaves it for another call.
  void keep() { isKept = true; }

  const std::string &folder() const { return path; }

private:
  explicit Staging(std::string output);
  Result<void> openDoneList(int64_t rank);
  Result<void> startAnew(const StagedWork &work);

  std::string output; ///< In whose place it will be.
  std::string path;
  std::set<size_t> done;
  int journal = -1;  ///< Open as long as it is locked.
  int doneList = -1; ///< Appended to.
  bool hasFiles = false;
  bool isKept = false;
};

} // namespace shardwise::files
